class Counter:
    def __init__(self):
        self.n = 0

    def add(self, k):
        self.n += k
        return self


def f(k):
    c = Counter()
    c.add(k).add(1)
    return c.n
# call: f(2)
# exchange: f(9)
