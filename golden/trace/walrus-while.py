def f(xs):
    total = 0
    while (x := xs.pop()) > 0:
        total += x
    return total, x
# call: f([0, 3, 4])
# exchange: f([-1, 5, 6])
