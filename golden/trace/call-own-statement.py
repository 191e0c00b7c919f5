def push(xs, x):
    xs.append(x)


def f(xs):
    push(xs, 1)
    push(xs, 2)
    return xs
# call: f([])
# exchange: f(["a"])
