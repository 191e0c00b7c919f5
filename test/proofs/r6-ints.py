# call: f()
# expect: proven
def f():
    a = 1000
    b = 1000
    c = "hello world"
    d = "hello world"
    e = [1]; g = [1]
    return a is b, c is d, e is g
