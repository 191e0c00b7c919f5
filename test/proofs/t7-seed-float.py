# call: f()
# expect embedded: told wordBits
# expect native: proven
import random
def f():
    random.seed(0.5)
    return [random.randint(1, 100) for _ in range(3)]
