def f(n):
    add = lambda x: x + n
    n = n + 1
    return add(10)
# call: f(1)
# exchange: f(5)
