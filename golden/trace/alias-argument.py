def grow(ys):
    ys.append(len(ys))


def f(xs):
    grow(xs)
    grow(xs)
    return xs
# call: f([])
# exchange: f([7])
