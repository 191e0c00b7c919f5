# call: f()
# expect: told files
def f():
    try:
        with open("/etc/os-release") as h:
            return h.readline().strip()
    except FileNotFoundError:
        return "none"
