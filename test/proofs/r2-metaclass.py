# call: f()
# expect: proven
REGISTRY = {}
class Meta(type):
    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, namespace)
        REGISTRY[name.lower()] = len(namespace)
        return cls
class Base(metaclass=Meta): pass
class Child(Base):
    x = 1
def f():
    return sorted(REGISTRY)
