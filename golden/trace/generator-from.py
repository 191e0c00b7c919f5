def inner(n):
    yield from range(n)
    return "end"


def outer(n):
    last = yield from inner(n)
    yield last


def f(n):
    return [x for x in outer(n)]
# call: f(2)
# exchange: f(3)
