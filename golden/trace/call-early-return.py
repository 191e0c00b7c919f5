def first_big(xs):
    for x in xs:
        if x > 2:
            return x


def f(xs):
    return first_big(xs), first_big([])
# call: f([1, 3, 5])
# exchange: f([2, 7])
