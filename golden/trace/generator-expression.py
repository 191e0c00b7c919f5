def f(xs):
    total = sum(x * 2 for x in xs)
    return total, any(x > 2 for x in xs)
# call: f([1, 2, 3])
# exchange: f([])
