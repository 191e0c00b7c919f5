# call: f()
# expect: proven
import io
import os
import sys


def f():
    out = sys.stdout
    a = out.write("abc"), isinstance(out, io.TextIOWrapper), out is sys.__stdout__, type(out.buffer).__name__, out.encoding
    out.writelines(["x", "y\n"])
    print("z", flush=True)
    print("late")
    os.write(1, b"early\n")
    out.buffer.write(b"bytes\n")
    print("to", file=sys.__stdout__)
    return a, out.fileno(), out.isatty(), out.line_buffering, out.name, out.mode, out.closed, out.writable(), out.readable(), sys.stderr.name, sys.stderr.line_buffering, sys.stdin.name, type(sys.stderr).__name__
