SCALE = 3


def f(n):
    return n * SCALE
# call: f(2)
# exchange: f(5)
