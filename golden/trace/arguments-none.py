def f():
    x = 1
    return x + 1
# call: f()
