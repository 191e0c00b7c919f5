# call: f()
# expect: proven
import typing
class Node: pass
def g(x: "Node") -> "int": return 1
def f(): return sorted(k for k in typing.get_type_hints(g)), g(3)
