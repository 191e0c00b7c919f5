def f(xs):
    seen = []

    def key(x):
        seen.append(x)
        return -x

    ys = sorted(xs, key=key)
    return ys, seen
# call: f([1, 3])
# exchange: f([5, 4])
