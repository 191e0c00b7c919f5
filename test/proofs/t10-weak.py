# call: f()
# expect: told collector
import weakref
class N:
    def __init__(self): self.me = self
def f():
    seen = [weakref.ref(N()) for _ in range(800)]
    return sum(1 for each in seen if each() is None)
