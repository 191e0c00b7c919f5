def f(words):
    out = []
    for w in words:
        try:
            out.append(int(w))
        except ValueError:
            continue
    return out
# call: f(["1", "x", "3"])
# exchange: f(["4", "y", "5"])
