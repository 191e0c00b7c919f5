def f(n):
    if n > 3:
        n = 3
    return n
# call: f(5)
# exchange: f(11)
