# call: f()
# expect: proven
import inspect


def g(x):
    return x + 1


def f():
    return inspect.getsource(g), inspect.signature(g).parameters["x"].name
