def f(xs):
    slots = [0, 0]
    for slots[1] in xs:
        slots[0] += slots[1]
    return slots
# call: f([5, 6])
# exchange: f([1, 9])
