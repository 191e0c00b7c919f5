def f(n):
    cells = []
    for i in range(n):
        for j in range(i, n):
            cells.append((i, j))
    return cells
# call: f(2)
