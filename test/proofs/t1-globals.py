# call: f()
# expect: proven
# python 3.14: ['__builtins__', '__cached__', '__doc__', '__file__', '__loader__', '__name__', '__package__', '__spec__']
def f(): return sorted(k for k in globals() if k.startswith("__"))
