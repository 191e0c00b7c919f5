# call: f()
# expect: proven
import functools
@functools.singledispatch
def area(s): raise TypeError
class Sq:
    def __init__(self, a): self.a = a
class Ci:
    def __init__(self, r): self.r = r
@area.register(Sq)
def area_sq(s): return s.a ** 2
@area.register
def area_ci(s: Ci): return 3 * s.r ** 2
class Vis:
    @functools.singledispatchmethod
    def see(self, x): return "?"
    @see.register
    def _(self, x: int): return "i"
def f(): return area(Sq(2)), area(Ci(1)), Vis().see(3), Vis().see("a")
