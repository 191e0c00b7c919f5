def double(x):
    y = x * 2
    return y


def f(n):
    y = double(n) + 1
    return y
# call: f(4)
# exchange: f(6)
