# call: f(2)
# expect: proven
from functools import lru_cache
class V:
    def __init__(self, n): self.n = n
    def __add__(self, o: "V") -> "V": return V(self.n + o.n)
class W(V):
    """Unused."""
    size: int = 3
    @property
    def double(self) -> int: return 2 * self.n
def unused(x: int, y: list[int] | None = None) -> V: return V(x)
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else n
def f(n): return (V(n) + V(1)).n
