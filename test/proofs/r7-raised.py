# call: f()
# expect: proven
def g():
    try:
        yield 1
    except GeneratorExit:
        yield 2


def f():
    try:
        raise SystemExit(3)
    except SystemExit as e:
        a = e.code
    try:
        raise KeyboardInterrupt("x")
    except BaseException as e:
        b = repr(e)
    it = g()
    next(it)
    try:
        it.close()
    except RuntimeError as e:
        c = str(e)
    return a, b, c
