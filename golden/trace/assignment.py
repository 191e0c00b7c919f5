def f(a, b):
    c = a + b
    c = c * 2
    return c
# call: f(2, 3)
# exchange: f(5, 7)
