class Square:
    sides = 4

    def __init__(self, width):
        self._width = width

    @property
    def area(self):
        return self._width**2

    @staticmethod
    def unit():
        return Square(1)

    @classmethod
    def of(cls, area):
        return cls(int(area**0.5))


def f(n):
    return Square(n).area, Square.unit().area, Square.of(9)._width, Square.sides
# call: f(3)
# exchange: f(4)
