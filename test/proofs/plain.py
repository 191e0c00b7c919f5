# call: f([3, 1, 2])
# expect: proven
def f(xs):
    total = 0
    for x in sorted(xs):
        total = total * 10 + x
    return total, {"xs": xs}
