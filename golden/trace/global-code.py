table = []
for i in range(2):
    table.append(i * i)
if table:
    table.append(9)


def f(n):
    return table[n]
# call: f(1)
# exchange: f(0)
