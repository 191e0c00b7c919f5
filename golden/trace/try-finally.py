def f(n):
    log = []
    try:
        log.append(10 // n)
    finally:
        log.append("done")
    return log
# call: f(3)
# exchange: f(5)
