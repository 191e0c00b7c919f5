def f(n):
    if n % 2 == 0:
        kind = "even"
    else:
        kind = "odd"
    return kind
# call: f(7)
# exchange: f(9)
