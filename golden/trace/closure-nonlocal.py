def f(n):
    count = 0

    def tick(k):
        nonlocal count
        count += k
        return count

    tick(n)
    tick(1)
    return count
# call: f(3)
# exchange: f(8)
