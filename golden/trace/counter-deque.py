from collections import Counter, deque


def f(s):
    c = Counter(s)
    d = deque(s, maxlen=2)
    d.appendleft(c.most_common(1)[0][0])
    return c, list(d)
# call: f("aba")
# exchange: f("q")
