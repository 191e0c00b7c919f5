def f(n):
    try:
        r = 10 // n
    except:
        r = None
    return r
# call: f(0)
# exchange: f("a")
