from contextlib import suppress


def f(d):
    found = None
    with suppress(KeyError):
        found = d["a"]
        found = "never"
    return found
# call: f({})
# exchange: f({"b": 1})
