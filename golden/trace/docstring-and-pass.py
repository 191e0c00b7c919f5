def f(n):
    """Twice."""
    pass
    ...
    "a note"
    return n * 2
# call: f(2)
# exchange: f(3)
