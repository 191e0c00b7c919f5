def f(d):
    try:
        if d["a"] > 1:
            return "big"
    except KeyError:
        return "missing"
    return "small"
# call: f({})
# exchange: f({"b": 2})
