def g(a, b=2, c=(1, -1)):
    return a + b + c[0]


def f(n):
    return g(n) + g(n, 5)
# call: f(1)
# exchange: f(2)
