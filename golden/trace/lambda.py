def f(xs):
    by_last = sorted(xs, key=lambda x: x[-1])
    twice = lambda n: n * 2
    return by_last, twice(3)
# call: f(["ab", "ca"])
# exchange: f(["z"])
