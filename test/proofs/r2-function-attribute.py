# call: f()
# expect: proven
def mark(**named):
    def deco(fn):
        fn.__dict__.update(named)
        TAGS.append(named)
        return fn
    return deco
TAGS = []
@mark(slow=True)
def g(): return 1
def h(): return 2
h.calls = 0
h.calls += 3
def f(): return TAGS, h.calls
