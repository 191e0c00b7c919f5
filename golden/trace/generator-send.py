def running():
    total = 0
    while True:
        x = yield total
        total += x


def f(a, b):
    g = running()
    next(g)
    g.send(a)
    return g.send(b)
# call: f(1, 2)
# exchange: f(5, 6)
