def f(xs):
    if not (xs.pop() and xs):
        xs.append("none")
    return xs
# call: f([0])
# exchange: f([1, 0])
