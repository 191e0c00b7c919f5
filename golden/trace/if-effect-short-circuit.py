def f(xs):
    if xs and xs.pop() > 2 or xs.pop() == 1:
        xs.append(0)
    return xs
# call: f([1, 5])
# exchange: f([7, 3])
