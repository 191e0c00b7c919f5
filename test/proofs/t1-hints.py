# call: f()
# expect: proven
import typing


class Node:
    def __init__(self, next: "Node" = None):
        self.next = next


def f():
    return str(typing.get_type_hints(Node.__init__)), repr(Node)[:22]
