def walk(tree, out):
    if tree is None:
        return
    left, value, right = tree
    walk(left, out)
    out.append(value)
    walk(right, out)


def f(tree):
    out = []
    walk(tree, out)
    return out
# call: f(((None, 1, None), 2, None))
# exchange: f(((None, "a", None), "b", None))
