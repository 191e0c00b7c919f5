# call: f()
# expect: proven
RULES = []
def rule(fn):
    RULES.append(fn)
    return fn
@rule
def _(x): return x + 1
@rule
def _(x): return x * 10
def f(): return [r(2) for r in RULES]
