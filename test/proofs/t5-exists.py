# call: f()
# expect: told files
import os
def f(): return os.path.exists("/etc/passwd"), os.path.isdir("/root")
