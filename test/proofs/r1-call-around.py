# call: [f(3), 1]
# expect: proven
from decimal import Decimal
def f(n):
    return Decimal(n), n
