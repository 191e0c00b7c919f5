def f(n):
    k = 0
    while n > 1:
        n //= 2
        k += 1
    return k
# call: f(5)
# exchange: f(7)
