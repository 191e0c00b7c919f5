# call: f()
# expect embedded: told hashSeed
# expect native: proven
def f():
    words = set("red green blue white".split())
    return [*words]
