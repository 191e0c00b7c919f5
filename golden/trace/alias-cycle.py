def f(n):
    xs = [n]
    xs.append(xs)
    d = {"me": xs}
    d["d"] = d
    return xs[1] is xs and d["d"] is d
# call: f(1)
# exchange: f(2)
