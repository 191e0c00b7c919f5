class Logged:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self.log

    def __exit__(self, kind, value, trace):
        self.log.append("out")
        return False


def f(n):
    log = []
    with Logged(log) as entries:
        entries.append(n)
    return log
# call: f(5)
# exchange: f(6)
