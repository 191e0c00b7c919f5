def double(n):
    return n * 2


def f(n):
    return f"{n} {double(n)} {double(n + 1)}"
# call: f(1)
# exchange: f(2)
