def f(xs):
    for x in xs:
        if x > 2:
            return x
    return None
# call: f([1, 3, 5])
# exchange: f([0, 9])
