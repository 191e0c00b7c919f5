"""A digest of a value: distinguishes values without revealing them.

    digest(1) == digest(1.0) == digest(True)          equal in Python
    digest(1, typed=True) != digest(1.0, typed=True)
    digest(float("nan")) is None                      equal to nothing
    digest(unittest.mock.ANY) is None                 not plain data: its __eq__ is not called

The digest of the result is computed in the program's process, that of the expected value earlier in another one; the two
are compared outside.
"""

import sys
from hashlib import sha256

from lab.library import bases_of, dictionary_of, module_of

DEEPEST = 220
"""No literal is nested deeper."""
PARTS = 5_000_000
name_of = type.__dict__["__qualname__"].__get__
keys, items = type({}.keys()), type({}.items())


class NoData(Exception):
    """It is nothing that could be written as a literal, or it equals nothing."""


def digest(value, typed=False):
    try:
        return sha256(Reader(typed).text(value, 0).encode("utf-8", "surrogatepass")).hexdigest()
    except (NoData, RecursionError):
        return None


class Reader:
    def __init__(self, typed):
        self.typed = typed
        self.left = PARTS

    def text(self, value, depth):
        self.left -= 1
        if depth > DEEPEST or self.left < 0:
            raise NoData
        kind = type(value)
        text = form_of(kind)(self, value, depth + 1)
        return f"<{module_of(kind)}.{name_of(kind)}>{text}" if self.typed else text

    def all(self, values, depth):
        return [self.text(value, depth) for value in values]

    def members(self, values, depth):
        return "{" + ",".join(sorted(self.all(values, depth))) + "}"

    def sequence(self, value, depth):
        return "[" + ",".join(self.all(list.__iter__(value), depth)) + "]"

    def tuple(self, value, depth):
        return "(" + ",".join(self.all(tuple.__iter__(value), depth)) + ")"

    def dict(self, value, depth):
        pairs = [self.text(key, depth) + ":" + self.text(item, depth) for key, item in dict.items(value)]
        return "d{" + ",".join(sorted(pairs)) + "}"


def fraction(value):
    if value != value:
        raise NoData
    if value in (float("inf"), float("-inf")):
        return "n+" if value > 0 else "n-"
    return "n%x/%x" % value.as_integer_ratio()


def imaginary(value):
    real, other = fraction(value.real), fraction(value.imag)
    return real if value.imag == 0 else f"c{real},{other}"


def decimal(value):
    if value.is_nan() or not value.is_infinite() and abs(value.adjusted()) > 10_000:
        raise NoData
    return fraction(value)


def octets(value):
    return f"b{len(value)}:{value.hex()}"


FORMS = {
    type(None): lambda reader, value, depth: "none",
    type(...): lambda reader, value, depth: "ellipsis",
    bool: lambda reader, value, depth: "n%x/1" % value,
    int: lambda reader, value, depth: "n%x/1" % int.__add__(value, 0),
    float: lambda reader, value, depth: fraction(float.__add__(value, 0.0)),
    complex: lambda reader, value, depth: imaginary(complex.__add__(value, 0)),
    str: lambda reader, value, depth: f"s{str.__len__(value)}:{str.__str__(value)}",
    bytes: lambda reader, value, depth: octets(bytes.__getitem__(value, slice(None))),
    bytearray: lambda reader, value, depth: octets(bytes(bytearray.__getitem__(value, slice(None)))),
    list: Reader.sequence,
    tuple: Reader.tuple,
    set: lambda reader, value, depth: reader.members(set.__iter__(value), depth),
    frozenset: lambda reader, value, depth: reader.members(frozenset.__iter__(value), depth),
    dict: Reader.dict,
    keys: lambda reader, value, depth: reader.members(value, depth),
    items: lambda reader, value, depth: reader.members(value, depth),
}
"""How each built-in type is digested: by its own methods, not those of a class that extends it."""

LIBRARY = {
    ("collections", "OrderedDict"): Reader.dict,
    ("collections", "Counter"): Reader.dict,
    ("fractions", "Fraction"): lambda reader, value, depth: fraction(value),
    ("decimal", "Decimal"): lambda reader, value, depth: decimal(value),
}
"""Classes that define an equality which also accepts built-in values."""


def form_of(kind):
    """That of the first class in the order of inheritance which says what is equal."""
    for base in bases_of(kind):
        if base in FORMS:
            return FORMS[base]
        known = (module_of(base), name_of(base))
        if known in LIBRARY and getattr(sys.modules.get(known[0]), known[1], None) is base:
            return LIBRARY[known]
        if "__eq__" in dictionary_of(base):
            break
    raise NoData
