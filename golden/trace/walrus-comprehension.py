def f(xs):
    squares = [last := x * x for x in xs]
    return squares, last
# call: f([1, 2, 3])
# exchange: f([5])
