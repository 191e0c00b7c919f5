def f(xs):
    if (n := len(xs)) > 2:
        return n
    return -n
# call: f([1, 2, 3])
# exchange: f("abcd")
