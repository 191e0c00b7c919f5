def f(n):
    adders = []
    for i in range(n):
        adders.append(lambda x: x + i)
    return [add(10) for add in adders]
# call: f(3)
