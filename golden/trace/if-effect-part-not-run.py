def f(xs, n):
    if n > 3 and xs.pop():
        n = 0
    return xs, n
# call: f([1], 2)
# exchange: f([2], 3)
