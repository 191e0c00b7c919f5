# call: f()
# expect: proven
class M:
    def __enter__(self): return 3
    def __exit__(self, *a): return False
def f():
    with (m := M()) as x:
        y = x + 1
    return y
