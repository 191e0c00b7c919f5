def f(d, k):
    try:
        v = d[k]
    except KeyError as error:
        v = error.args[0]
    return v
# call: f({}, "a")
# exchange: f({1: 2}, 3)
