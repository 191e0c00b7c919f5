def f(xs):
    if xs:
        return
    return 1
# call: f([1])
# exchange: f("a")
