def count(n):
    while n > 0:
        yield n
        n -= 1


def f(n):
    out = []
    for x in count(n):
        out.append(x)
    return out
# call: f(2)
