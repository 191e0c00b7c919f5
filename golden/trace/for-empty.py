def f(xs):
    x = "none"
    for x in xs:
        pass
    return x
# call: f([])
# exchange: f("")
