def f(xs):
    doubled = (x * 2 for x in xs)
    first = next(doubled)
    rest = list(doubled)
    return first, rest
# call: f([1, 2, 3])
# exchange: f([4])
