# call: f()
# expect: proven
def f():
    raise KeyboardInterrupt("stop")
