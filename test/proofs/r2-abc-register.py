# call: f()
# expect: proven
from abc import ABC
from collections.abc import Sized
class Shape(ABC): pass
@Shape.register
class Square: pass
class Sizes:
    def __len__(self): return 3
def f():
    return len(Shape.__subclasses__()), issubclass(type(3), Shape), isinstance(Sizes(), Sized)
