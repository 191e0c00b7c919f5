# call: f()
# expect: proven
def loud(fn):
    print("defined", fn.__name__)
    return fn
@loud
def g(): pass
class C:
    print("class body")
def f(): return 1
