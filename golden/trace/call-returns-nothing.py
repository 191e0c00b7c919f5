def quiet(x):
    x + 1


def f(n):
    r = quiet(n)
    return r is None
# call: f(1)
# exchange: f(2)
