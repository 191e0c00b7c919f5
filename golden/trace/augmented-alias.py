def f(xs):
    ys = xs
    ys += [9]
    return xs is ys, xs
# call: f([1])
# exchange: f([])
