# call: f()
# expect: refused numpy
try:
    import numpy
    HAVE = True
except ImportError:
    HAVE = False
def f(): return HAVE
