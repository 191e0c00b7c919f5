def f(n):
    if n < 0:
        s = -1
    elif n == 0:
        s = 0
    elif n < 10:
        s = 1
    else:
        s = 2
    return s
# call: f(4)
# exchange: f(8)
