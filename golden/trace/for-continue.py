def f(xs):
    out = []
    for x in xs:
        if x < 0:
            continue
        out.append(x)
    return out
# call: f([1, -2, 3])
# exchange: f([5, -6, 7])
