# call: f(3)
# expect: proven
from decimal import Decimal
def f(n):
    return Decimal(1) if n > 5 else Decimal("0.5")
