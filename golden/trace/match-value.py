def f(command):
    match command:
        case "go":
            r = 1
        case "stop" | "halt":
            r = 2
        case _:
            r = 3
    return r
# call: f("halt")
# exchange: f("stop")
