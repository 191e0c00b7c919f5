def f(point):
    match point:
        case [0, 0]:
            r = "origin"
        case [0, y]:
            r = y
        case [x, *rest]:
            r = (x, rest)
    return r
# call: f([1, 2, 3])
# exchange: f([4, 5, 6])
