# call: f("b")
# expect: proven
KINDS = {}
def known(cls):
    KINDS[cls.__name__.lower()] = cls
    return cls
@known
class A:
    def go(self): return 1
@known
class B:
    def go(self): return 2
def f(k): return KINDS[k]().go()
