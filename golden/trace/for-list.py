def f(xs):
    out = []
    for x in xs:
        out.append(x * 2)
    return out
# call: f([3, 4])
# exchange: f("ab")
