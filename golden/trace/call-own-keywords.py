def power(base, exponent=2, *, offset=0):
    return base**exponent + offset


def f(n):
    return power(n), power(exponent=3, base=n), power(n, offset=1)
# call: f(2)
# exchange: f(3)
