# call: f("x")
# expect embedded: proven
# python 3.14: Decimal('1')
from decimal import Decimal
def f(s):
    try:
        n = int(s)
    except KeyError, ValueError:
        n = Decimal(1)
    return n
