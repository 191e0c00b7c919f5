# call: f()
# expect embedded: told hashSeed
# expect native: proven
def f(): return list({"red", "green", "blue"})[0]
