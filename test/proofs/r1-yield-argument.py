# call: f(3)
# expect: proven
from decimal import Decimal
def gen(n):
    got = yield n
    yield got, Decimal(n)
def f(n):
    g = gen(n)
    next(g)
    return g.send(2)
