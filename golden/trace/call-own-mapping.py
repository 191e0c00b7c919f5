def scale(xs, k):
    return [scale_one(x, k) for x in xs]


def scale_one(x, k):
    return x * k


def f(xs):
    return scale(xs, 3)
# call: f([1, 2])
# exchange: f([4])
