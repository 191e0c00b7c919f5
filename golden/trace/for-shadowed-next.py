def f(xs):
    next = 0
    for x in xs:
        next = next + x
    iter = next
    return iter
# call: f([4, 5])
# exchange: f([6, 7])
