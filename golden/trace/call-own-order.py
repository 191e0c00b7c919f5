log = []


def note(x):
    log.append(x)
    return x


def f(n):
    total = len(log) + note(n) + len(log) * note(n + 1)
    return total, log
# call: f(5)
# exchange: f(6)
