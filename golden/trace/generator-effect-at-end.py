def noisy(log):
    yield 1
    log.append("finished")


def f(log):
    for x in noisy(log):
        log.append(x)
    return log
# call: f([])
# exchange: f(["q"])
