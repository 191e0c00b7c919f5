def f(b):
    a = bytearray(b)
    a[0] = 65
    return bytes(a), b.hex()
# call: f(b"xy")
# exchange: f(b"\x00")
