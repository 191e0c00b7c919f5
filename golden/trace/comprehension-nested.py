def f(rows):
    flat = [x for row in rows for x in row if x]
    grid = [[0 for _ in row] for row in rows]
    return flat, grid
# call: f([[1, 0], [2]])
# exchange: f([[]])
