def f(n):
    if n: n = n + 1; n = n * 2
    else: n = 5
    return n
# call: f(3)
# exchange: f(8)
