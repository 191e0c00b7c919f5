# call: f()
# expect: refused ctypes
try:
    import ctypes
    N = ctypes.sizeof(ctypes.c_long)
except ImportError:
    N = 0
def f(): return N
