def f(n):
    rows = [[0] * n] * 2
    rows[0][0] = 1
    return rows
# call: f(2)
# exchange: f(3)
