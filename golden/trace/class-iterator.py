class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


def f(n):
    out = []
    for x in Countdown(n):
        out.append(x)
    return out
# call: f(3)
