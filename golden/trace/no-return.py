def f(xs):
    xs.append(1)
# call: f([])
# exchange: f([2])
