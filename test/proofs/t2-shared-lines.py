# call: f(5)
# expect: proven
def g(n):
    if n < 2: return n
    a = g(n - 1); b = g(n - 2)
    return a + b
def f(n):
    t = 0
    for i in range(n): t += g(i)
    while t > 10: t -= 3
    x = (t if t else
         1); y = x
    try: z = [1][t]
    except IndexError: z = -1
    finally: y += 1
    with open("/dev/null") as h: y += 1
    return t, x, y, z
