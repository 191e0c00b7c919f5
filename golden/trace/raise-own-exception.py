class Refused(Exception):
    pass


def check(n):
    if n < 0:
        raise Refused("negative")
    return n


def f(n):
    try:
        return check(n)
    except Refused as error:
        return error.args
# call: f(-1)
# exchange: f(-5)
