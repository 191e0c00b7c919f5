def f(xs, d):
    ys = [*xs, 0, *xs]
    e = {**d, "z": 1}
    return max(*xs, 3), ys, e
# call: f([1, 2], {"a": 0})
# exchange: f([4, 5], {})
