def f(xs):
    ys = [x * x for x in xs if x % 2]
    return ys
# call: f([1, 2, 3])
# exchange: f([8])
