# call: f(2)
# expect: proven
from fractions import Fraction
def f(n):
    xs = [Fraction(1, i + 1) for i in range(n)]
    return *xs,
