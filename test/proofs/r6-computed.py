# call: f("1000")
# expect: proven
def f(s):
    a = int(s)
    b = 1000
    c = "".join(["hello", " world"])
    return a is b, c is "hello world", a == b, (a, 1) is (a, 1), frozenset({3, 1000}) is frozenset({3, 1000}), 2 in {1, 2}
