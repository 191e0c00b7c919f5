def f(s):
    try:
        n = int(s)
        n = n + 1
    except ValueError:
        n = 0
    return n
# call: f("q")
# exchange: f("")
