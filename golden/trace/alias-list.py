def f(xs):
    ys = xs
    ys.append(4)
    zs = xs[:]
    zs.append(5)
    return xs, zs
# call: f([1])
# exchange: f([])
