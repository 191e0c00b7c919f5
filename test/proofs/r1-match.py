# call: f(3)
# expect: proven
from decimal import Decimal
def g(x): return x
def f(n):
    xs = [1, 2]
    match *xs, n:
        case [a, b, c]:
            r = a + b + c
    match n, g(n):
        case p, q: r += p * q
    match (w := n + 1):
        case 4: r += w
    return Decimal(r), r
