def f(n):
    m = n + 1
    raise ValueError("no")
# call: f(1)
