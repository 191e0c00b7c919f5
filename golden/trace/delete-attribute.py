class Box:
    pass


def f(n):
    box = Box()
    box.value = n
    del box.value
    return hasattr(box, "value")
# call: f(1)
# exchange: f(2)
