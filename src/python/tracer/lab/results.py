"""How the last line of a trace asserts the result of the call, also if no literal recreates the value.

    3                     assert (n) == 3
    Counter("aa")         assert (n) == {'a': 2}                a class that extends a plain one: its data, which equal it
    Decimal("0.1")        assert repr(n) == "Decimal('0.1')"        its repr, if that contains no address
    Point(1)              assert vars(n) == {'x': 1}                an object of the program without a text of its own
    map(abs, xs)          assert list(n) == [1, 2]                  iterators: all their values
    def g(): ...          assert (n).__name__ == 'g'

All runs are compared by the same text, in addition to the fields in the record. A literal recreates a value exactly; a class that
extends a built-in type, as Counter does, has none, and `exact=False` writes its data.
"""

import ast
import math
import types
from itertools import islice

from lab.script import MAIN
from lab.values import bases_of, dictionary_of, identity, name_of

MOST = 1_000
LAZY = {
    identity(type(each))
    for each in (map(abs, ()), zip(), filter(None, ()), enumerate(()), reversed([]), iter([]), iter(()), iter(""), iter({}), iter(set()), iter(range(0)), {}.keys(), {}.values(), {}.items())
} | {identity(types.GeneratorType)}
NAMED = {identity(kind) for kind in (types.FunctionType, types.BuiltinFunctionType, type)}
TEXT = {
    None: "({})",
    "data": "({})",
    "repr": "repr({})",
    "fields": "vars({})",
    "each": "[vars(each) for each in {}]",
    "list": "list({})",
    "name": "({}).__name__",
}
ATOMS = {int, bool, str, bytes, type(None), type(...), bytearray, range}
SEQUENCES = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
}


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


def way_of(value):
    """The form of the assert for this value; raises NoLiteral if there is none."""
    try:
        literal(value)
        return None
    except NoLiteral as problem:
        reason = problem
    try:
        literal(value, exact=False)
        return "data"
    except NoLiteral:
        pass
    kind = type(value)
    if identity(kind) in LAZY:
        return "list"
    if identity(kind) in NAMED:
        return "name"
    if own_without_text(kind):
        return "fields"
    if kind in (list, tuple) and value and all(own_without_text(type(each)) for each in value):
        return "each"
    if " at 0x" in repr(value):
        raise reason
    return "repr"


def text_told(text, way):
    """The left side of the assert: the result's text gets parentheses where it would read as something else without them."""
    plain, apart = TEXT[way].format(text), TEXT[way].format(f"({text})")
    try:
        same = ast.dump(ast.parse(plain, mode="eval")) == ast.dump(ast.parse(apart, mode="eval"))
    except (SyntaxError, RecursionError):
        same = False
    return plain if same else apart


def own_without_text(kind):
    """A class of the program, with fields, that says nothing of how its objects are written."""
    bases = bases_of(kind)[:-1]
    own = bool(bases) and all(dictionary_of(base).get("__module__") is MAIN for base in bases)
    return own and any("__dict__" in dictionary_of(base) for base in bases) and not any("__repr__" in dictionary_of(base) for base in bases)


def told(value, way):
    """The right side of the assert."""
    if way is None:
        return literal(value)
    if way == "data":
        return literal(value, exact=False)
    if way == "list":
        items = value if type(value) is list else list(islice(value, MOST + 1))
        if len(items) > MOST:
            raise NoLiteral(f"more than {MOST} values")
        return literal(items, exact=False)
    if way == "name":
        return literal(value.__name__)
    if way == "fields":
        return literal(dict(vars(value)), exact=False)
    if way == "each":
        return literal([dict(vars(each)) for each in value], exact=False)
    return literal(repr(value))
