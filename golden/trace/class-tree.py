class Tree:
    def __init__(self, value):
        self.value = value
        self.left = self.right = None

    def insert(self, value):
        side = "left" if value < self.value else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Tree(value))
        else:
            child.insert(value)

    def values(self):
        left, right = self.left, self.right
        before = left.values() if left else []
        return before + [self.value] + (right.values() if right else [])


def f(xs):
    tree = Tree(xs[0])
    for x in xs[1:]:
        tree.insert(x)
    return tree.values()
# call: f([2, 1, 3, 4])
# exchange: f([5, 3, 7, 9])
