# call: f(2)
# expect: proven
from functools import lru_cache, cache
LOG = []
def tick():
    LOG.append(1)
    return 3
@cache
def g(x=tick()): return x
class C(tick() and object): pass
class D:
    def m(self, a=tick()): return a
def f(n): return n, LOG
