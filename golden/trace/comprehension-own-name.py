def f(x):
    ys = [x for x in range(x)]
    return x, ys
# call: f(3)
# exchange: f(5)
