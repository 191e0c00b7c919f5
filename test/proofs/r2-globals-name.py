# call: f("add")
# expect: proven
def do_add(x): return x + 1
def do_mul(x): return x * 2
def f(op):
    return globals()["do_" + op](5)
