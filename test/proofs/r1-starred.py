# call: f(2)
# expect: proven
from decimal import Decimal
def f(n):
    xs = [Decimal(i) for i in range(n)]
    return *xs, Decimal(9)
