# call: f()
# expect: told machine
import sys
def f(): return eval("sys.ver" + "sion")
