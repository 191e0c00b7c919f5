class Pen:
    def __init__(self, colour="black", *, width=1):
        self.colour, self.width = colour, width

    def wider(self, by=1):
        if by > 3:
            raise ValueError(by)
        self.width += by
        return self.width


def f(n):
    pen = Pen(width=n)
    try:
        return pen.wider() + pen.wider(by=n) + pen.wider(9)
    except ValueError:
        return pen.colour, pen.width
# call: f(2)
# exchange: f(3)
