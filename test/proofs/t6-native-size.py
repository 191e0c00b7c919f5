# call: f()
# expect embedded: told wordBits
# expect native: proven
import struct
def f(): return len(struct.pack("l", 1)), len(struct.pack("P", 0))
