class Box:
    def __init__(self, value):
        self.value = value


def f(n):
    box = Box(n)
    box.value += 1
    box.value <<= 2
    return box.value
# call: f(3)
# exchange: f(4)
