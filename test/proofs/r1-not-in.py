# call: f(float("nan"))
# expect: proven
def f(x):
    return x, x == x, not x, x if x else 1, -x
