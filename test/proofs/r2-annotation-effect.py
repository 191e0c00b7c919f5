# call: f()
# expect native: proven
# python 3.14: []
COUNT = []
def tick(kind):
    COUNT.append(kind.__name__)
    return kind
def unused(a: tick(int), b: tick(str)) -> tick(list):
    return a
def f():
    return COUNT
