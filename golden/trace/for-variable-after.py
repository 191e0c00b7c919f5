def f(n):
    for i in range(n):
        i = i * 10
    return i
# call: f(3)
