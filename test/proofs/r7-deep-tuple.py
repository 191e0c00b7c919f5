# call: f()
# expect: proven
def f():
    a = None
    for i in range(400): a = (i, a)
    return 1
