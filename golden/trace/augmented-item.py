def f(xs):
    xs[0] += 5
    xs[-1] -= 1
    return xs
# call: f([1, 2])
# exchange: f([7, 8, 9])
