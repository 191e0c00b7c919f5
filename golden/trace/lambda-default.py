def f(n):
    adders = [lambda x, i=i: x + i for i in range(n)]
    return [add(1) for add in adders]
# call: f(2)
# exchange: f(4)
