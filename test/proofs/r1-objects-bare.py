# call: f(2)
# expect: proven
class P:
    def __init__(self, x): self.x = x
def f(n):
    a = P(n)
    return a, P(7)
