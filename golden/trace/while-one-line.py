def f(n):
    while n > 3: n -= 2
    return n
# call: f(8)
# exchange: f(9)
