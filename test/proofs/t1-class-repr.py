# call: f()
# expect: proven
class A: pass
def f(): return str(A), repr(list[A])
