# call: f(3)
# expect: proven
def f(n):
    found = []
    def remember(fn):
        found.append(fn)
        return fn
    @remember
    def double(x): return x * 2
    @remember
    def square(x): return x * x
    return [g(n) for g in found]
