def f(a, b):
    if (
        a > 1
        and b > 1  # both
        and a + b
        < 10
    ):
        a = b
    return a
# call: f(2, 3)
# exchange: f(4, 5)
