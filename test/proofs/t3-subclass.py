# call: f(3)
# expect: proven
import sys


class Tee:
    def __init__(self, out):
        self.out, self.seen = out, []

    def write(self, text):
        self.seen.append(text)
        return self.out.write(text)

    def flush(self):
        self.out.flush()


def f(n):
    tee = sys.stdout = Tee(sys.stdout)
    for i in range(n):
        print(i)
    sys.stdout = tee.out
    return tee.seen
