# call: f()
# expect embedded: told libm
# expect native: proven
def f():
    return 147 ** -3, 1.1 ** 2.3
