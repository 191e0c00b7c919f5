# call: f()
# expect: proven
def f(): return list({30, 1, 2, 7}), str({5, 3}), sorted({"b", "a"})
