def g(x):
    n = x + 1
    return n


def f(n):
    x = g(n)
    return x * n
# call: f(3)
# exchange: f(8)
