from collections import defaultdict


def f(words):
    groups = defaultdict(list)
    for w in words:
        if groups[len(w)]:
            groups[len(w)].append("+" + w)
        else:
            groups[len(w)] = [w]
    return groups
# call: f(["a", "b"])
# exchange: f(["c", "d"])
