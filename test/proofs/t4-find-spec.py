# call: f()
# expect: refused pandas
import importlib.util
def f(): return importlib.util.find_spec("pandas") is None
