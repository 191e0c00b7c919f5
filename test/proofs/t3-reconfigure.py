# call: f()
# expect: proven
import contextlib
import io
import sys


def f():
    sys.stdout.reconfigure(errors="replace")
    s = io.StringIO()
    with contextlib.redirect_stdout(s):
        print("in")
        b = sys.stdout is s
    print("é", end="")
    return s.getvalue(), b, sys.stdout.errors, repr(sys.stdout), sys.stdout.newlines
