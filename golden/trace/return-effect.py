def f(xs):
    return xs.pop() + len(xs)
# call: f([1, 2, 3])
# exchange: f([4, 5])
