def f(a):
    x: int = a + 1
    y: int
    y = x
    return y
# call: f(3)
# exchange: f(9)
