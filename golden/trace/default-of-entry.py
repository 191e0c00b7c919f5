def f(a, b=3, c=None):
    c = c or []
    c.append(a + b)
    return c
# call: f(1)
# exchange: f(2)
