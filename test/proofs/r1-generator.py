# call: f(3)
# expect: proven
def f(n):
    return (i * i for i in range(n))
