# call: f()
# expect: proven
import traceback
class MyError(Exception): pass
def f():
    try:
        raise MyError("x")
    except MyError as e:
        return traceback.format_exception_only(type(e), e)
