def f(xs):
    try:
        try:
            xs[5]
        except KeyError:
            return "key"
    except IndexError:
        return "index"
# call: f([1])
# exchange: f("ab")
