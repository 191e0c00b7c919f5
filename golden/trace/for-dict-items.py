def f(d):
    out = {}
    for k, v in sorted(d.items()):
        out[v] = k
    return out
# call: f({"b": 1, "a": 2})
# exchange: f({1: 3, 2: 4})
