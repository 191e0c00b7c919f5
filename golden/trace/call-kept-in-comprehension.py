def g(x):
    if x > 1:
        return x
    return -x


def f(xs):
    return [g(x) for x in xs]
# call: f([1, 2])
# exchange: f([3, 0])
