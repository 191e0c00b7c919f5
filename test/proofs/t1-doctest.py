# call: f()
# expect native: proven
import doctest
def g(x):
    """
    >>> g(1)
    2
    """
    return x + 1
def f(): return doctest.testmod().attempted
