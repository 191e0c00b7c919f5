def f(xs):
    if xs.pop() > 2:
        xs.append(0)
    return xs
# call: f([1, 5])
# exchange: f([3])
