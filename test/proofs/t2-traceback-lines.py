# call: f()
import traceback


def g(s):
    return int(s)


def f():
    try:
        g("z")
    except ValueError as e:
        return "int(" in "".join(traceback.format_tb(e.__traceback__))
