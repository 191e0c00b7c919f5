# call: f(3)
# expect: proven
def do_add(x): return x + 1
def do_mul(x): return x * 2
def f(n):
    table = {name: fn for name, fn in globals().items() if name.startswith("do_")}
    return {name: fn(n) for name, fn in sorted(table.items())}
