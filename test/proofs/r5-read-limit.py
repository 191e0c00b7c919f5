# call: f(980)
import sys


def f(n):
    return sys.getrecursionlimit() if n == 0 else f(n - 1)
