# call: f(2.5)
# expect: proven
LIMIT = 99999
def limit(): return 99999
def f(x):
    if LIMIT is limit():
        y = (1, 2.5, "a b")
        z = (1, 2.5, "a b")
    else:
        y, z = 1, 2
    return y is z, x is 2.5, y[1] is x, b"xy z" is b"xy z", 0.0 is -0.0, 1 is 1.0
