# call: f()
# expect: told timeZone
import time
def f(): return time.mktime((2020, 6, 1, 0, 0, 0, 0, 0, 0))
