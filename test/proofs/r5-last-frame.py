# call: f(998)
# expect: proven
def f(n):
    return 0 if n == 0 else 1 + f(n - 1)
