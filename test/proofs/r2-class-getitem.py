# call: f()
# expect native: proven
SEEN = []
class G:
    def __class_getitem__(cls, item):
        SEEN.append(item)
        return cls
def unused(x: G[3]): return x
def f(): return SEEN
# python 3.14: []
