# call: f()
try:
    import venv
    THERE = True
except ImportError:
    THERE = False
def f(): return THERE
