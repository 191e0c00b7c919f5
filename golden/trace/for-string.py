def f(s):
    n = 0
    for c in s.lower():
        if c in "aeiou":
            n += 1
    return n
# call: f("Tea")
# exchange: f("Bee")
