# call: depth(0)
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
