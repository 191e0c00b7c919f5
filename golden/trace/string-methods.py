def f(s):
    words = s.split()
    s = " ".join(w.capitalize() for w in reversed(words))
    return s.center(12, "*")
# call: f("one two")
# exchange: f("x")
