def total(first, *rest, **named):
    s = first + sum(rest)
    for value in named.values():
        s += value
    return s


def f(n):
    return total(n, 1, 2, a=3, b=4)
# call: f(10)
# exchange: f(20)
