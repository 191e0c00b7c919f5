from contextlib import nullcontext


def f(a, b):
    with nullcontext(a) as x, nullcontext(b) as y:
        z = x + y
    return z
# call: f(1, 2)
# exchange: f("p", "q")
