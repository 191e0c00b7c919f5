def f(n):
    return n / 2
# call: int(f(5)) + 1
# exchange: int(f(7)) + 1
