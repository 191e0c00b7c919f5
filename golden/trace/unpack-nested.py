def f(pair):
    (a, b), [c, d] = pair
    return a + b + c + d
# call: f(((1, 2), (3, 4)))
# exchange: f([[5, 6], [7, 8]])
