def f(n):
    big = 2**70 + n
    x = n / 3
    z = complex(n, 1)
    inf = float("inf")
    return big, x, z.real, -inf < x < inf
# call: f(1)
# exchange: f(2)
