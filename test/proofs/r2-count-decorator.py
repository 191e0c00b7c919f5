# call: f()
# expect: proven
class Counted:
    made = 0
    def __init__(self, fn):
        Counted.made += 1
        self.fn = fn
    def __call__(self, *a): return self.fn(*a)
@Counted
def g(x): return x
@Counted
def h(x): return x
def f(): return Counted.made
