# call: f()
import warnings


def f():
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        warnings.warn("hm")
        return str(w[0].message), w[0].lineno, w[0].filename.endswith(".py")
