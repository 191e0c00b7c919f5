from contextlib import nullcontext


def f(d):
    try:
        with nullcontext(d) as x:
            x["k"]
    except KeyError:
        return "outside"
# call: f({})
