# call: f(3)
# expect: proven
from decimal import Decimal
def f(n):
    return sum(Decimal(i) for i in range(n))
