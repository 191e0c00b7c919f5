# call: f()
# expect: told file
import os
import sys


def f():
    return os.path.splitext(os.path.basename(__file__))[1], len(sys.argv), os.path.isfile(__file__), os.path.isabs(__file__), len(os.path.dirname(__file__))
