def total(a, b):
    return a - b


def f(pair):
    return total(*pair)
# call: f((5, 3))
# exchange: f([9, 1])
