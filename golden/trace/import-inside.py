def f(n):
    import math
    from itertools import accumulate as acc
    return math.gcd(n, 12), list(acc([n, 1]))
# call: f(8)
# exchange: f(9)
