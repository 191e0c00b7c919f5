def f(xs):
    first, *middle, last = xs
    return first, middle, last
# call: f([1, 2, 3, 4])
# exchange: f("abc")
