class Meta(type):
    def __eq__(self, o): raise RuntimeError("meta eq")
    def __hash__(self): raise RuntimeError("meta hash")
    def __repr__(self): raise RuntimeError("meta repr")
    def __getattribute__(self, n): raise RuntimeError("meta get "+n)
class E(metaclass=Meta):
    def __init__(self): self.x = 1
    def __eq__(self,o): raise RuntimeError("eq")
    def __hash__(self): raise RuntimeError("hash")
    def __repr__(self): raise RuntimeError("repr")
    def __format__(self, s): raise RuntimeError("format")
    def __bool__(self): raise RuntimeError("bool")
    def __len__(self): raise RuntimeError("len")
    def __iter__(self): raise RuntimeError("iter")
class L(list):
    def __iter__(self): raise RuntimeError("iter")
    def __len__(self): raise RuntimeError("len")
    def __getitem__(self, i): raise RuntimeError("item")
class D(dict):
    def items(self): raise RuntimeError("items")
    def __iter__(self): raise RuntimeError("iter")
    def __len__(self): raise RuntimeError("len")
class S(str):
    def __str__(self): raise RuntimeError("str")
    def __len__(self): raise RuntimeError("len")
class X(Exception):
    def __str__(self): raise RuntimeError("str")
def g(e): return 3
def f(n):
    e = E()
    xs = [e, (e,), {1: e}]
    l = L([1, 2])
    d = D(a=1)
    s = S("q")
    while n < 3 and n != 9:
        n += 1
    y = g(e) + n
    try:
        raise X("a", e)
    except X as err:
        z = 1
    return y, "ok"
# call: f(1)
