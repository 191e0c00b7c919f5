class Pair:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a


def f(n):
    pair = Pair(n)
    pair.b = n + 1
    return pair.a + pair.b
# call: f(1)
# exchange: f(2)
