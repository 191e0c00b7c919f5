def f(xs):
    out = []
    for x in xs:
        try:
            if x < 0:
                continue
            if x > 5:
                break
        finally:
            out.append(x)
    return out
# call: f([1, -1, 9, 2])
# exchange: f([3, -4, 8])
