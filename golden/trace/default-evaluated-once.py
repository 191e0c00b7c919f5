base = 10


def g(x, k=base * 2):
    return x + k


base = 99


def f(n):
    return g(n)
# call: f(1)
# exchange: f(2)
