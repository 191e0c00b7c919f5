# call: f(0)
# expect: proven
from decimal import Decimal
def f(n):
    return n or Decimal(3)
