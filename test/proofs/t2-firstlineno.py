# call: f()


def g():
    pass


def f():
    n = g.__code__.co_firstlineno
    return n
