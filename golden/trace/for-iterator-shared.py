def f(xs):
    it = iter(xs)
    pairs = []
    for a in it:
        pairs.append((a, next(it)))
    return pairs
# call: f([1, 2, 3, 4])
# exchange: f("wxyz")
