def f(n):
    print("n is", n)
    print(n, end="")
    return n
# call: f(1)
# exchange: f(2)
