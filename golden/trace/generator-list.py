def squares(xs):
    for x in xs:
        yield x * x


def f(xs):
    return list(squares(xs))
# call: f([1, 2])
# exchange: f([3])
