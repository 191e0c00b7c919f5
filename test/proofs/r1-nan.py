# call: f()
# expect: proven
def f(): return float("nan"), 1
