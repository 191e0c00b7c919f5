def f(a, b):
    out = []
    for i, (x, y) in enumerate(zip(a, reversed(b)), 1):
        out.append(i * x - y)
    return out
# call: f([1, 2], [3, 4])
# exchange: f([5, 6], [7, 8])
