import random


def f(xs):
    random.seed(3)
    x = random.choice(xs)
    return x in xs
# call: f([1, 2, 3])
# exchange: f("abc")
