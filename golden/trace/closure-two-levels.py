def f(n):
    def outer(a):
        def inner(b):
            nonlocal a
            a += b + n
            return a
        inner(1)
        return inner(2)
    return outer(10)
# call: f(100)
# exchange: f(200)
