# call: f()
# expect: proven
from enum import Enum
SEEN = []
class Color(Enum):
    RED = 1
    BLUE = 2
    def __init__(self, v): SEEN.append(v)
def f(): return SEEN
