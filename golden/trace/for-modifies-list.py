def f(xs):
    for x in xs:
        if x > 1:
            xs.remove(x)
    return xs
# call: f([1, 2, 3, 0])
