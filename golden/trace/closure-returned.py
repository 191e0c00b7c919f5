def adder(n):
    def add(x):
        return x + n
    return add


def f(n):
    one, two = adder(1), adder(2)
    return one(n) * two(n)
# call: f(5)
# exchange: f(7)
