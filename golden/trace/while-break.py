def f(n):
    while True:
        n += 3
        if n > 10:
            break
    else:
        n = 0
    return n
# call: f(5)
