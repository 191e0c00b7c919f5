def f(rows):
    rows.sort(key=lambda r: (r[1], -r[0]))
    return [a for a, _ in rows]
# call: f([(1, 2), (3, 2), (2, 1)])
# exchange: f([(1, 1)])
