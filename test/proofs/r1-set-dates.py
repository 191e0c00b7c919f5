# call: f()
# expect: proven
from datetime import date
def f():
    a = date(2024, 1, 1)
    return {a: 1}, [a], a
