# call: f()
import inspect


def f():
    return inspect.currentframe().f_lineno > 0, len(inspect.stack())
