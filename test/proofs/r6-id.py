# call: f()
# expect: proven
class C:
    rate = 0.25
    def __init__(self, r=0.25): self.r = r
    def same(self): return self.r is C.rate
def f():
    c = C()
    t = lambda: 3.75
    return c.same(), t() is 3.75, id("a-b") == id("a-b"), "a" "-b" is "a-b", 10 ** 5 is 100000
