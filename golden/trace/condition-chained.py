def f(n):
    if 0 < n <= 5 < 10:
        return "in"
    return "out"
# call: f(3)
# exchange: f(5)
