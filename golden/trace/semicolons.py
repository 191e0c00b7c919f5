def f(n):
    a = n; b = a + 1; return a * b
# call: f(2)
# exchange: f(3)
