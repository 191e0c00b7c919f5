def f(n):
    try:
        x = x + n
    except NameError:
        x = n
    return x
# call: f(1)
# exchange: f(2)
