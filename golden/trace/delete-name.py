def f(a):
    b = a
    del a
    return b
# call: f(1)
# exchange: f("x")
