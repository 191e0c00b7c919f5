def twice(g):
    def inner(x):
        return g(g(x))
    return inner


@twice
def bump(x):
    return x + 1


def f(n):
    return bump(n)
# call: f(1)
# exchange: f(5)
