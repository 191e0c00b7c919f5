# call: f()
# expect: proven
import traceback
class Bad(Exception): pass
def f():
    try:
        raise Bad("no")
    except Bad:
        return traceback.format_exc().splitlines()[-1]
