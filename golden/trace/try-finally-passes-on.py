def inner(log, n):
    try:
        log.append(1 // n)
    finally:
        log.append("inner")


def f(n):
    log = []
    try:
        inner(log, n)
    except ZeroDivisionError:
        log.append("outer")
    return log
# call: f(0)
