# call: (C(3).m(), C(4).m())
# expect: proven
from decimal import Decimal
class C:
    def __init__(self, n): self.n = n
    def m(self): return Decimal(self.n), 1
