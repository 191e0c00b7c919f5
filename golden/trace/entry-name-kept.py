def f(x):
    forloop0 = 1
    for i in range(x):
        forloop0 += i
    f1_x = forloop0
    return f1_x
# call: f(2)
