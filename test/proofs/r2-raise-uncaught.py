# call: f()
# expect: proven
def refuse(fn): raise ValueError(fn.__name__)
@refuse
def g(): pass
def f(): return 1
