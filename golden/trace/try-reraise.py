def f(n):
    log = []
    try:
        try:
            log.append(1 / n)
        except ZeroDivisionError:
            log.append("seen")
            raise
    except ArithmeticError as error:
        log.append("caught")
    return log
# call: f(0)
