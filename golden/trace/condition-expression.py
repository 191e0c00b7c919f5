def f(n):
    sign = "neg" if n < 0 else "pos" if n > 0 else "zero"
    return sign
# call: f(-4)
# exchange: f(0)
