def is_even(n):
    return n % 2 == 0


def f(xs):
    out = []
    for x in xs:
        if is_even(x) and x > 2:
            out.append(x)
    return out
# call: f([1, 2, 4])
# exchange: f([3, 0, 6])
