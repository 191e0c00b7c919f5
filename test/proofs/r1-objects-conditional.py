# call: f(2)
# expect: proven
class P:
    def __init__(self, x): self.x = x
def f(n):
    xs = [P(i) for i in range(n)]
    ys = (P(5),)
    return xs if n > 1 else ys
