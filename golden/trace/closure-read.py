def f(n):
    def add(x):
        return x + n
    a = add(1)
    n = 100
    return a, add(1)
# call: f(5)
# exchange: f(6)
