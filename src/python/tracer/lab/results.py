"""How the last line of a trace asserts the result of the call, also if no literal recreates the value.

    3                     assert (n) == 3
    Counter("aa")         assert (n) == {'a': 2}                a class that extends a plain one: its data, which equal it
    Decimal("0.1")        assert repr(n) == "Decimal('0.1')"        its repr, if that contains no address
    Point(1)              assert vars(n) == {'x': 1}                an object of the program without a text of its own
    map(abs, xs)          assert list(n) == [1, 2]                  iterators: all their values
    def g(): ...          assert (n).__name__ == 'g'

All runs are compared by the same text, in addition to the fields in the record.
"""

import ast
import types
from itertools import islice

from lab.literals import NoLiteral, literal
from lab.script import MAIN
from lab.values import bases_of, dictionary_of, identity

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
