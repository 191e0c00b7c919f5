def f(xs, ys):
    xs.append(len(ys))
    ys.append(len(xs))
    return xs, ys
# call: f([1], [])
# exchange: f([], [2, 3])
