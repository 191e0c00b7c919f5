# call: total(970)
# expect: proven
class Node:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest

    def total(self):
        return self.value + (self.rest.total() if self.rest else 0)


def total(n):
    node = None
    for value in range(n):
        node = Node(value, node)
    return node.total()
