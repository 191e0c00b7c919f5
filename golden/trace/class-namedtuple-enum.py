from collections import namedtuple
from enum import Enum

Point = namedtuple("Point", "x y")


class Colour(Enum):
    RED = 1
    BLUE = 2


def f(n):
    p = Point(n, n + 1)
    return p.x + p.y, Colour(n).name
# call: f(1)
# exchange: f(2)
