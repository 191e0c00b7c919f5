def f(xs, d):
    del xs[0], d["k"]
    del xs[1:]
    return xs, d
# call: f([1, 2, 3], {"k": 1, "m": 2})
# exchange: f([4, 5], {"k": 3})
