# call: f()
# expect embedded: told wordBits
# expect native: proven
import array
def f(): return array.array("l", [1]).itemsize
