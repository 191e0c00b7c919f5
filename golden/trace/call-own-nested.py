def add(a, b):
    return a + b


def f(n):
    return add(add(n, 1), add(n, 2))
# call: f(1)
# exchange: f(2)
