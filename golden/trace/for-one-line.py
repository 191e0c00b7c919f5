def f(xs):
    t = 0
    for x in xs: t += x; t *= 2
    return t
# call: f([1, 2])
# exchange: f([3, 4])
