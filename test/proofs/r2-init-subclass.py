# call: f()
# expect: proven
class Plugin:
    known = []
    def __init_subclass__(cls, **named):
        super().__init_subclass__()
        Plugin.known.append((cls.__name__, named))
class A(Plugin, tag=1): pass
class B(Plugin, tag="b"):
    size = 3
def f():
    return Plugin.known
