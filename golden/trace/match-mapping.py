def f(d):
    match d:
        case {"kind": "add", "by": n, **rest}:
            return n, rest
        case {"kind": kind}:
            return kind
    return None
# call: f({"kind": "add", "by": 3, "x": 1})
# exchange: f({"kind": "add", "by": 4})
