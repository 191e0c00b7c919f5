# call: f()


def g():
    raise ValueError


def f():
    try:
        g()
    except ValueError as e:
        return e.__traceback__.tb_lineno, e.__traceback__.tb_next.tb_lineno
