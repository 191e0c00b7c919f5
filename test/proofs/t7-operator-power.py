# call: f(0.3)
# expect embedded: told libm
# expect native: proven
import operator
def f(x): return getattr(operator, "p" + "ow")(x, 1.7)
