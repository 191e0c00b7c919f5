def f(n):
    r = 0
    match n:
        case "a":
            r = 1
    return r
# call: f("b")
# exchange: f(3)
