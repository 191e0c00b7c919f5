def check(x, log):
    log.append(x)
    return x


def f(a, b):
    log = []
    r = check(a, log) and check(b, log) or check(9, log)
    return r, log
# call: f(0, 1)
# exchange: f(0, 5)
