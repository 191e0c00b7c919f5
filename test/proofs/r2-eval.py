# call: f(3)
# expect: proven
def helper(x): return x + 1
def f(n):
    return eval("helper(n)", {"helper": globals()["helper"], "n": n})
