# call: f()
# expect: proven
import pickle
class A:
    def __init__(self): self.x = 1
def f(): return len(pickle.dumps(A())), pickle.loads(pickle.dumps(A())).x
