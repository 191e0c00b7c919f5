# call: f()
# expect: proven
def f(): return __name__
