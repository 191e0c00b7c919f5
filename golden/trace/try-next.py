def f(xs):
    it = iter(xs)
    out = []
    try:
        while True:
            out.append(next(it))
    except StopIteration:
        out.append("end")
    return out
# call: f([1, 2])
# exchange: f("ab")
