# call: f()
# expect: proven
import sys
def f():
    try:
        sys.stdout.buffer.write(b"hi\n")
        return "ok"
    except AttributeError:
        return "no buffer"
