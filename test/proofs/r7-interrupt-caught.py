# call: f()
# expect: proven
def f():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        return 1
