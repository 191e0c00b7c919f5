def f(xs, i):
    try:
        v = xs[i] + 1
    except IndexError:
        v = "index"
    except (TypeError, ValueError) as error:
        v = "type"
    return v
# call: f(["a"], 0)
# exchange: f([None], 0)
