def f(xs, y):
    for x in xs:
        if x == y:
            break
    else:
        x = None
    return x
# call: f([1, 2, 3], 2)
# exchange: f([7, 8], 8)
