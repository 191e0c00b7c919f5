def f(xs):
    n = 0
    while xs and xs.pop():
        n += 1
    return n
# call: f([0, 1, 1])
# exchange: f([5, 0, 2, 3])
