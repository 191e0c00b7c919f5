def f(xs):
    ys = [
        x + y
        for x in xs
        for y in xs
        if x < y
    ]
    return ys
# call: f([1, 2, 3])
# exchange: f([4, 5])
