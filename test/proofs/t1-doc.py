# call: f()
# expect: proven
"""Module doc."""
def f():
    try:
        return __file__.endswith(".py"), __doc__
    except NameError:
        return "no file"
