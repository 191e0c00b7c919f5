total = 5


def add_total(x):
    return x + total


def f(total):
    total = add_total(total)
    return total
# call: f(1)
# exchange: f(2)
