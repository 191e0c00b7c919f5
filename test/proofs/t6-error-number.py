# call: f()
# expect: told files
def f():
    try:
        open("/nope/x")
    except OSError as e:
        return str(e)
