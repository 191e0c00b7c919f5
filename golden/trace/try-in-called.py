def parse(s):
    return int(s)


def f(s):
    try:
        n = parse(s)
    except ValueError:
        n = -1
    return n
# call: f("z")
# exchange: f("zz")
