def f(name, n):
    text = f"{name!r:>5}|{n:03d}|{n + 1=}"
    return text
# call: f("a", 7)
# exchange: f("b", 8)
