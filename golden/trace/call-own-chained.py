def mid(log):
    log.append("mid")
    return 5


def f(n):
    log = []
    inside = 0 < n < mid(log) < 10
    return inside, log
# call: f(3)
# exchange: f(4)
