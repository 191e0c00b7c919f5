# call: f()
# expect: proven
X = 3
def f():
    import __main__
    return hasattr(__main__, "X")
