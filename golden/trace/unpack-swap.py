def f(a, b):
    a, b = b, a
    return a, b
# call: f(1, 2)
# exchange: f("x", "y")
