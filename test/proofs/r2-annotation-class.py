# call: f()
# expect native: proven
COUNT = []
def tick(kind):
    COUNT.append(kind.__name__)
    return kind
class C:
    a: tick(int) = 3
    b: tick(str)
def f():
    return sorted(COUNT)
# python 3.14: []
