def count(list):
    sum = 0
    for x in list:
        sum += x
    return sum


def f(xs):
    return count(list(xs)) + sum(xs)
# call: f((1, 2))
# exchange: f((3, 4))
