"""A value as a Python expression that recreates it, for the final assert.

    {"a": [1, 2.5]}      {'a': [1, 2.5]}

Built-in types are written exactly. A class that extends one, as Counter does, has no literal; `exact=False` writes its data, which compare
equal to it.
"""

import math

from lab.values import bases_of, name_of


class NoLiteral(Exception):
    """The value, or a part of it, has no literal; the argument names its type."""


def literal(value, depth=0, exact=True):
    kind = type(value)
    if depth > 50:
        raise NoLiteral("deeply nested")
    # plain classes only: a metaclass could run its code in the comparison
    if type(kind) is type:
        if kind is int and value.bit_length() >= 14_000:
            return hex(value)  # Python refuses decimal digits of very large integers
        if kind in ATOMS:
            return kind.__repr__(value)
        if kind in SEQUENCES:
            return sequence_literal(kind, value, depth, exact)
        if kind is float:
            return float_literal(value)
        if kind is complex:
            return f"complex({float_literal(value.real)}, {float_literal(value.imag)})"
        if kind is dict:
            return dict_literal(value, depth, exact)
    if exact:
        raise NoLiteral(name_of(kind))
    for base in bases_of(kind):
        if base is dict:
            return dict_literal(value, depth, exact)
        if base is list or base is tuple:
            return literal(base(base.__iter__(value)), depth, exact)
        if base is int:
            return literal(int.__add__(value, 0))
        if base is str:
            return literal(str.__str__(value))
    raise NoLiteral(name_of(kind))


def sequence_literal(kind, value, depth, exact):
    opening, closing = SEQUENCES[kind]
    parts = [literal(item, depth + 1, exact) for item in kind.__iter__(value)]
    if kind is tuple and len(parts) == 1:
        return f"({parts[0]},)"
    if not parts and kind in (set, frozenset):
        return kind.__name__ + "()"
    if kind in (set, frozenset):
        parts.sort()
    return opening + ", ".join(parts) + closing


def dict_literal(value, depth, exact):
    pairs = [f"{literal(key, depth + 1, exact)}: {literal(item, depth + 1, exact)}" for key, item in dict.items(value)]
    return "{" + ", ".join(pairs) + "}"


def float_literal(value):
    # a NaN equals nothing, so no assert could hold
    if math.isnan(value):
        raise NoLiteral("nan")
    return f"float('{value}')" if math.isinf(value) else repr(value)


ATOMS = {int, bool, str, bytes, type(None), type(...), bytearray, range}
SEQUENCES = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}
