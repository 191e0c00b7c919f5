def f(first, *rest, sep="-"):
    out = first
    for r in rest:
        out += sep + r
    return out
# call: f("a", "b", "c", sep="+")
# exchange: f("x", "y", "z", sep="/")
