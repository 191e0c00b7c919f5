from contextlib import nullcontext


def f(a):
    with nullcontext(a) as x:
        return x * 2
# call: f(4)
# exchange: f(5)
