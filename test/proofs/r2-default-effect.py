# call: f()
# expect: proven
COUNT = []
def tick():
    COUNT.append(len(COUNT))
    return len(COUNT)
def unused(a=tick(), *, b=tick()):
    return a + b
def f():
    def inner(c=tick()): return c
    return COUNT
