# call: f()
# expect: told collector
DEAD = []
class N:
    def __init__(self): self.me = self
    def __del__(self): DEAD.append(1)
def f():
    for i in range(900):
        N()
    return len(DEAD)
