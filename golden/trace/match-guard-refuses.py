def f(n):
    match n:
        case x if x > 10:
            return "big"
        case int() as y:
            return x + y
# call: f(4)
# exchange: f(5)
