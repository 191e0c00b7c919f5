# call: f(3)
# expect: proven
from datetime import timedelta
def f(n):
    return (d := timedelta(days=n))
