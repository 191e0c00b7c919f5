# call: f()
# expect: proven
from functools import singledispatch
@singledispatch
def show(x): return "obj"
@show.register
def show_int(x: int): return "int"
@show.register(list)
def _(x): return "list of " + ", ".join(map(show, x))
def f():
    return show(1), show([2, "a"])
