def f(n):
    assert n > 0, "positive"
    return n
# call: f(3)
# exchange: f(4)
