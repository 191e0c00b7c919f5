def f(xs):
    xs[0], xs[1] = xs[1], xs[0]
    i, xs[i] = 1, 9
    return xs
# call: f([4, 5])
# exchange: f([6, 7, 8])
