def g(d):
    return d["x"]


def f(d):
    y = 1
    return g(d) + y
# call: f({})
