# call: f("x")
# expect: proven
from decimal import Decimal
def f(s):
    kinds = ValueError, TypeError
    try:
        n = int(s)
    except kinds as e:
        n = Decimal(1)
    try:
        int(s)
    except (KeyError, ValueError):
        n += 1
    return n, len(s)
