def f(a):
    x = y = [a]
    x.append(1)
    return y
# call: f(3)
# exchange: f("q")
