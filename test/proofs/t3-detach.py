# call: f()
# expect: proven
import io
import sys


def f():
    b = sys.stdout.detach()
    sys.stdout = io.TextIOWrapper(b, encoding="latin-1")
    print("é")
    sys.stdout.flush()
    return sys.stdout.encoding, b.raw.fileno()
