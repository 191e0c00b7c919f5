def f(a, b):
    both = a & b
    a |= {9}
    a.discard(1)
    return sorted(both), sorted(a), frozenset(b) == b
# call: f({1, 2}, {2, 3})
# exchange: f({4}, {5})
