def f(s):
    places = {c: i for i, c in enumerate(s)}
    kinds = {c.lower() for c in s}
    return places, sorted(kinds)
# call: f("aAb")
# exchange: f("")
