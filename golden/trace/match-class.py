class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


def f(a, b):
    match Point(a, b):
        case Point(0, y):
            return y
        case Point(x, y) if x == y:
            return "diagonal"
        case Point(x=x):
            return x
# call: f(2, 2)
# exchange: f(3, 3)
