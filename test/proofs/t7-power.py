# call: f(1, 4)
# expect embedded: told libm
# expect native: proven
def f(a, b):
    return 147 ** (a - b)
