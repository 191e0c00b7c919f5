def f(s):
    try:
        n = int(s)
    except ValueError:
        n = 0
    else:
        n += 1
    return n
# call: f("4")
# exchange: f("7")
