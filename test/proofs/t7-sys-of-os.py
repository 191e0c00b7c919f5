# call: f()
# expect: proven
import os
def f(): return os.sys.platform, os.name, os.sep, os.linesep
