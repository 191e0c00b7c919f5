def f(rows, y):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x == y:
                break
        else:
            continue
        break
    return i, j
# call: f([[1, 2], [3, 4]], 3)
# exchange: f([[5, 6], [7, 8]], 7)
