def f(n):
    n += 3
    n *= 2
    n //= 3
    n **= 2
    return n
# call: f(3)
# exchange: f(6)
