# call: f(2)
# expect: proven
class P:
    def __init__(self, x): self.x = x
def f(n):
    xs = [P(i) for i in range(n)]
    return *xs, P(7)
