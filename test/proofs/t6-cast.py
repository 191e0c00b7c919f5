# call: f()
# expect embedded: told wordBits
# expect native: proven
def f():
    m = memoryview(bytes(16)).cast("l")
    return len(m)
