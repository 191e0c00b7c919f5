# call: f()
# expect: proven
import enum, sys
from collections import namedtuple
from dataclasses import dataclass


@dataclass
class P:
    x: int


class Color(enum.Enum):
    RED = 1


N = namedtuple("N", "a")


def f():
    import importlib

    main = importlib.import_module("__main__")
    return __name__, P.__module__, Color.RED.__class__.__module__, N.__module__, main.P is P, P.__qualname__, f.__module__
