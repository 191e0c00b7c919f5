# call: f(3)
# expect: proven
def f(n):
    return lambda x: x + n
