class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __repr__(self):
        raise RuntimeError("never called")


def f(a, b):
    v = Vector(a, b) + Vector(1, 1)
    if v == Vector(3, 4):
        return "same"
    return v.x
# call: f(2, 3)
# exchange: f(2, 3)
