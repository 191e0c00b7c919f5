# call: f()
# expect: proven
LOG = []
class Unused:
    LOG.append("made")
    for i in range(3):
        LOG.append(i)
    value = LOG.pop()
def f():
    return LOG
