def g(x, seen=[]):
    seen.append(x)
    return len(seen)


def f(n):
    a = g(n)
    b = g(n)
    return a, b
# call: f(1)
# exchange: f(2)
