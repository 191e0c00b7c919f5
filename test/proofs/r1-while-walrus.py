# call: f([3, 2, 1])
# expect: proven
from decimal import Decimal
def f(xs):
    t = Decimal(0)
    while x := (xs.pop() if xs else 0):
        t += x
    if (y := len(xs)) == 0 and (z := y + 1):
        t += z
    return t, y, z
