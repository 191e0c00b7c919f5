def f(n):
    log = []
    try:
        log.append(1)
        n = [].pop(n)
    finally:
        log.append(2)
    return log
# call: f(1)
