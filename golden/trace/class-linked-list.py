class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def f(xs):
    head = None
    for x in xs:
        head = Node(x, head)
    out = []
    while head:
        out.append(head.value)
        head = head.next
    return out
# call: f([1, 2])
# exchange: f("ab")
