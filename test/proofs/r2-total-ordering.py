# call: f()
# expect: proven
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
def f(): return V(1) <= V(2), V(3) > V(4), max([V(1), V(5)]).n
