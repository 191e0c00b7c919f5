def note(x, log):
    log.append(x)
    return x


def f(n):
    log = []
    d = {note(n, log): note(n + 1, log), **{"z": 0}, note("k", log): 2}
    return d, log
# call: f(1)
# exchange: f(5)
