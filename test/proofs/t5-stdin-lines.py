# call: f()
# expect: refused standard input
import sys
def f(): return [line for line in sys.stdin]
