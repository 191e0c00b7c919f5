def f(s):
    log = []
    try:
        log.append(int(s))
    except ValueError as error:
        log.append("bad")
    else:
        log.append("good")
    finally:
        log.append("end")
    return log
# call: f("x")
# exchange: f("y")
