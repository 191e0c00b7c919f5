# call: f(3)
# expect: proven
def g(x): return x + 1
def f(n):
    y = (m := n * 2) + g(n)
    z = [(k := m + 1), g(k)]
    return y, z, m, k
