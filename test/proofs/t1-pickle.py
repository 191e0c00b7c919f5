# call: f()
# expect: proven
import pickle


class A:
    pass


def g():
    return 1


def f():
    d = pickle.dumps(g, 2)
    return d, pickle.loads(d)(), pickle.dumps(A, 0)
