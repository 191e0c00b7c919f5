def f(xs, y):
    for x in xs:
        if x == y:
            break
    else:
        x = None
    return x
# call: f([1, 2], 3)
# exchange: f([4, 5], 6)
