def f(n):
    try:
        assert n > 0
    except AssertionError:
        n = 0
    return n
# call: f(-3)
# exchange: f(-4)
