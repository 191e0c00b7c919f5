# call: f()
# expect: proven
import io, sys, contextlib
def f():
    s = io.StringIO()
    with contextlib.redirect_stdout(s):
        print("in")
    old = sys.stdout
    sys.stdout = io.StringIO()
    print("two")
    t = sys.stdout.getvalue()
    sys.stdout = old
    print("out")
    return s.getvalue(), t, sys.stdout is sys.__stdout__
