def f(a, b):
    c = a + \
        b
    d = max(a,
            b,
            c)
    return (c,
            d)
# call: f(1, 2)
# exchange: f(3, 4)
