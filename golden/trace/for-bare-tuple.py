def f(a, b):
    total = 0
    for x in a, b:
        total += len(x)
    return total
# call: f([1], [2, 3])
# exchange: f("", "pq")
