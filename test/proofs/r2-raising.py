# call: f()
# expect: proven
def f():
    seen = []
    def refuse(fn):
        seen.append(fn.__name__)
        raise ValueError(fn.__name__)
    try:
        @refuse
        def g(): pass
    except ValueError as e:
        seen.append(str(e))
    try:
        class C(int, str): pass
    except TypeError as e:
        seen.append("layout")
    return seen
