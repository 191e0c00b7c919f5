def f(xs):
    if not xs:
        return []
    head, *tail = xs
    return f(tail) + [head]
# call: f([1, 2, 3])
# exchange: f("abc")
