def double(n):
    return n * 2


def f(n):
    return double(n) if n > 3 else double(n + 10)
# call: f(1)
# exchange: f(2)
