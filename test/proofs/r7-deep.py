# call: f()
# expect: proven
def f():
    a = []
    for i in range(500): a = [i, {"k": (a,)}]
    n = 0
    while a:
        n += 1
        a = a[1]["k"][0]
    return n
