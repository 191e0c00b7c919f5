def f(pairs):
    total = 0
    for i, (a, *b) in enumerate(pairs):
        total += i * a + len(b)
    return total
# call: f([(1, 2), (3,)])
# exchange: f([(4, 5), (6,)])
