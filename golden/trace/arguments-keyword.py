def f(a, b, c=3):
    return a - b + c
# call: f(b=1, a=5)
# exchange: f(b=2, a=7)
