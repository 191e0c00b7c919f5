# call: f()
# expect: proven
import importlib
def f(): return getattr(importlib.import_module("s" + "ys"), "plat" + "form")
