def f(xs):
    xs[1:3] = [0]
    return xs[::-1], xs[-2:], xs[1:2]
# call: f([1, 2, 3, 4])
# exchange: f("abcd" and [9, 8, 7])
