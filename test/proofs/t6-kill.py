# call: f()
# expect: told machine
import os
def f():
    try:
        os.kill(999999, 0)
    except ProcessLookupError:
        return "no process"
    except Exception as e:
        return type(e).__name__
