def f(words):
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + 1
    counts.setdefault("z", []).append(1)
    top = counts.pop(words[0])
    return top, counts
# call: f(["a", "b", "a"])
# exchange: f(["c", "d", "e"])
