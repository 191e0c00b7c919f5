def f(n):
    while n > 0:
        n -= 2
    else:
        n = n * 10
    return n
# call: f(3)
