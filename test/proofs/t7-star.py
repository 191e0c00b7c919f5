# call: f()
# expect: told machine
from sys import *
def f(): return platform
