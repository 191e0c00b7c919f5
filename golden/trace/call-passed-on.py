def negative(x):
    return -x


def f(xs):
    xs.sort(key=negative)
    return list(map(negative, xs))
# call: f([1, 3, 2])
# exchange: f([5])
