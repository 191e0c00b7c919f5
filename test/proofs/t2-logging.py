# call: f()
import io
import logging


def f():
    s = io.StringIO()
    h = logging.StreamHandler(s)
    h.setFormatter(logging.Formatter("%(module)s %(funcName)s %(lineno)d %(message)s %(name)s"))
    log = logging.getLogger("a")
    log.addHandler(h)
    log.warning("hi")
    return s.getvalue()
