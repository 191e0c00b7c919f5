def f(a):
    b = a
    c = list(a)
    return b is a, c is a, c == a
# call: f([1])
# exchange: f([])
