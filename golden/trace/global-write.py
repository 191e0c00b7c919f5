counter = 0


def bump():
    global counter
    counter += 1
    return counter


def f(n):
    bump()
    return bump() + n
# call: f(10)
# exchange: f(20)
