# call: f()
import builtins


def f():
    old = builtins.next
    builtins.next = lambda *a: 7
    t = 0
    for i in [1, 2]:
        t += i
    builtins.next = old
    return t
