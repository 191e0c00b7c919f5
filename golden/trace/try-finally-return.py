def f(xs):
    try:
        return len(xs)
    finally:
        xs.append(0)
# call: f([1])
# exchange: f([2, 3])
