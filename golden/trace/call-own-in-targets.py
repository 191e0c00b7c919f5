def at(xs, i):
    xs.append(i)
    return i


def f(xs):
    xs[at(xs, 0)] = at(xs, 5)
    xs[at(xs, 1)] += at(xs, 7)
    del xs[at(xs, 0)]
    return xs
# call: f([1, 2])
# exchange: f([3, 4, 5])
