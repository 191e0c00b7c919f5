"""The state of a program as JSON text: exact built-in values, sharing and cycles, and none of the program's code run.

    a = b = [1]      {"a": {"id": 1, "is": [1]}, "b": {"ref": 1}}

Types are compared by identity, and data are read through the methods of the built-in types, so that a program's own
__repr__, __eq__, __hash__ or __getattribute__ is never called. src/schemas/trace.ts describes the form.
"""

import types

# Built-in functions or json.loads replaced by a program must not change its record.
from builtins import BaseException, all, any, dict, enumerate, hex, int, len, list, map, max, memoryview, min, object, range, set, sorted, str, tuple, type, zip
from collections import deque
from itertools import repeat
from json import JSONDecoder
from json.encoder import encode_basestring_ascii as quoted
from operator import is_
from types import SimpleNamespace

from lab.library import arguments_of, bases_of, dictionary_of, forms_of, is_constant, is_member, name_of, slot
from lab.script import MAIN

SAFE = 2**53 - 1
"""Integers beyond it are no exact numbers in JSON as JavaScript reads it."""

scan = JSONDecoder().scan_once  # in C from end to end
identity = object.__hash__
"""`id` without its audit event, which costs a hundred times more. Calls no class of the program."""


class Bounds:
    """Limits of a state: levels of nesting, items of a container, parts of a state, characters of a text."""

    __slots__ = ("depth", "items", "parts", "characters")

    def __init__(self, depth=24, items=1_000, parts=10_000, characters=20_000):
        self.depth, self.items, self.parts, self.characters = depth, items, parts, characters


def write_texts(pairs, bounds):
    """The text of each value for (name, value) pairs, and whether a bound cut one. Labels count through all of them."""
    writer = Writer(bounds)
    out, places = writer.out, [0]
    for _, value in pairs:
        writer.value(value, 0)
        places.append(len(out))
    return ["".join(out[start:end]) for start, end in zip(places, places[1:])], writer.cut


def write_state(pairs, bounds):
    """The text of {name: value, ...}, and whether a bound cut it."""
    texts, cut = write_texts(pairs, bounds)
    return "{" + ",".join([quoted(name) + ":" + text for (name, _), text in zip(pairs, texts)]) + "}", cut


def write_value(value, bounds):
    writer = Writer(bounds)
    writer.value(value, 0)
    return "".join(writer.out), writer.cut


def read_json(text):
    """The value of a text that this module wrote."""
    return scan(text, 0)[0]


class Writer:
    __slots__ = ("bounds", "out", "left", "places", "labels", "cut", "labelled")

    def __init__(self, bounds):
        self.bounds = bounds
        self.out = []
        self.left = bounds.parts
        self.places = {}
        self.labels = 0
        self.cut = False
        self.labelled = True

    def value(self, value, depth):
        kind = type(value)
        if type(kind) is type:
            write = PLAIN.get(kind)
            if write is not None:
                write(self, value, depth)
                return
            write = SHARED.get(kind)
            if write is not None:
                self.shared(write, value, depth)
                return
        if any(base is type for base in bases_of(kind)):
            self.out.append('{"object":"type"}')
        else:
            self.shared(Writer.other, value, depth)

    def shared(self, write, value, depth):
        """An object that can be reached twice: the second time it is written as a reference to the first."""
        out = self.out
        if not self.labelled:
            write(self, value, depth)
            return
        place = self.places.get(identity(value))
        if place is None:
            place = self.places[identity(value)] = [len(out), None, 0]
            out.append("")
            write(self, value, depth)
            place[1] = len(out)
            out.append("}" if place[2] else "")
            return
        if place[2] == 0:
            self.labels += 1
            place[2] = self.labels
            out[place[0]] = '{"id":%d,"is":' % self.labels
            if place[1] is not None:
                out[place[1]] = "}"
        out.append('{"ref":%d}' % place[2])

    def text(self, value, depth):
        limit = self.bounds.characters
        if len(value) > limit:
            self.cut = True
            self.out.append('{"text":%s,"cut":%d}' % (quoted(value[:limit]), len(value) - limit))
        else:
            self.out.append(quoted(value))

    def integer(self, value, depth):
        if -SAFE <= value <= SAFE:
            self.out.append(str(value))
            return
        # Python refuses decimal digits of very large integers
        digits = str(value) if value.bit_length() < 14_000 else hex(value)
        if len(digits) > self.bounds.characters:
            self.cut = True
            digits = digits[: self.bounds.characters]
        self.out.append('{"int":"%s"}' % digits)

    def bytes(self, value, depth, tag="bytes"):
        limit = self.bounds.characters
        cut = ""
        if len(value) > limit:
            self.cut = True
            cut = ',"cut":%d' % (len(value) - limit)
        self.out.append('{"%s":"%s"%s}' % (tag, bytes(value[:limit]).hex(), cut))

    def list(self, value, depth):
        plain = plain_list(value) if len(value) <= self.bounds.items else None
        if plain is None:
            self.sequence("[", value, len(value), depth, "]")
        else:
            self.left -= len(value)
            self.out.append(plain)

    def dict(self, value, depth, pairs=None):
        out = self.out
        room = self.room(depth)
        out.append('{"dict":[')
        for count, (key, item) in enumerate(dict.items(value) if pairs is None else pairs):
            if count:
                out.append(",")
            if count >= room or self.left <= 0:
                self.omit(dict.__len__(value) - count)
                break
            self.left -= 2
            out.append("[")
            self.value(key, depth + 1)
            out.append(",")
            self.value(item, depth + 1)
            out.append("]")
        out.append("]}")

    def unordered(self, tag, members, length, depth):
        """Members in the order of their text, for a set has none. They carry no labels, which count in an order."""
        outside, labelled = self.out, self.labelled
        self.labelled = False
        texts = []
        room = self.room(depth)
        for member in members:
            if len(texts) >= room or self.left <= 0:
                break
            self.left -= 1
            self.out = []
            self.value(member, depth + 1)
            texts.append("".join(self.out))
        self.out, self.labelled = outside, labelled
        outside.append('{"%s":[%s' % (tag, ",".join(sorted(texts))))
        if length > len(texts):
            outside.append("," if texts else "")
            self.omit(length - len(texts))
        outside.append("]}")

    def sequence(self, opening, members, length, depth, closing):
        out = self.out
        out.append(opening)
        room = self.room(depth)
        for count, member in enumerate(members):
            if count:
                out.append(",")
            if count >= room or self.left <= 0:
                self.omit(length - count)
                break
            self.left -= 1
            self.value(member, depth + 1)
        out.append(closing)

    def room(self, depth):
        return self.bounds.items if depth < self.bounds.depth else 0

    def omit(self, count):
        self.cut = True
        self.out.append('{"cut":%d}' % count)

    def other(self, value, depth):
        """A value without an exact form: its type, the data of the built-in type that it extends, the program's fields."""
        kind = type(value)
        bases = bases_of(kind)
        self.out.append('{"object":' + quoted(name_of(kind)))
        forms = forms_of(value, kind)
        if (type(kind) is type and kind in CHANGES_INSIDE) or (forms is not None and len(forms) == 1 and not is_constant(kind)):
            self.changes()
        if forms is not None and is_member(kind):
            self.out.append(',"data":')
            self.value(slot(value, "_value_"), depth + 1)
            bases = ()
        for base in bases:
            if type(base) is type and base in DATA:
                self.out.append(',"data":')
                DATA[base](self, value, depth + 1)
                break
        if forms is not None:
            self.out.append(',"repr":[%s]' % ",".join(map(quoted, forms)))
        if self.labelled and bases and (dictionary_of(kind).get("__module__") is MAIN or kind is SimpleNamespace):
            self.out.append(',"fields":{')
            comma = ""
            for name, item in fields_of(value, bases):
                if self.left <= 0 or depth >= self.bounds.depth:
                    self.cut = True
                    break
                self.left -= 1
                self.out.append(comma + quoted(name) + ":")
                self.value(item, depth + 1)
                comma = ","
            self.out.append("}")
        self.out.append("}")


    def changes(self):
        """The object may change although its members are the same."""


def plain_list(value):
    """The text of a list of short texts or of small integers, quickly; None for any other."""
    if not value:
        return "[]"
    kind = type(value[0])
    if (kind is not int and kind is not str) or not all(map(is_, map(type, value), repeat(kind))):
        return None
    if kind is int:
        return str(value) if -SAFE <= min(value) and max(value) <= SAFE else None
    return "[" + ",".join(map(quoted, value)) + "]" if max(map(len, value)) < 1_000 else None


def fields_of(value, bases):
    """The fields of an instance, slots first, read without asking its class."""
    for base in bases:
        for name, member in dictionary_of(base).items():
            if type(member) is types.MemberDescriptorType and dictionary_of(base).get("__module__") is MAIN:
                try:
                    yield name, member.__get__(value)
                except AttributeError:  # a slot without a value
                    pass
    for base in bases:
        holder = dictionary_of(base).get("__dict__")
        if type(holder) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            fields = holder.__get__(value)
            if type(fields) is dict:
                yield from [(name, item) for name, item in dict.items(fields) if type(name) is str]
            return


def constant(text):
    return lambda writer, value, depth: writer.out.append(text)


PLAIN = {
    type(None): constant("null"),
    bool: lambda writer, value, depth: writer.out.append("true" if value else "false"),
    int: Writer.integer,
    float: lambda writer, value, depth: writer.out.append('{"float":"%s"}' % float.__repr__(value)),
    complex: lambda writer, value, depth: writer.out.append('{"complex":"%s"}' % complex.__repr__(value)),
    str: Writer.text,
    bytes: Writer.bytes,
    tuple: lambda writer, value, depth: writer.sequence('{"tuple":[', value, len(value), depth, "]}"),
    frozenset: lambda writer, value, depth: writer.unordered("frozenset", value, len(value), depth),
    type(...): constant('{"constant":"Ellipsis"}'),
    type(NotImplemented): constant('{"constant":"NotImplemented"}'),
    range: lambda writer, value, depth: writer.out.append(
        '{"range":["%d","%d","%d"]}' % (value.start, value.stop, value.step)
    ),
    slice: lambda writer, value, depth: writer.sequence(
        '{"slice":[', (value.start, value.stop, value.step), 3, depth, "]}"
    ),
    types.FunctionType: constant('{"object":"function"}'),
    types.BuiltinFunctionType: constant('{"object":"builtin"}'),
    types.ModuleType: constant('{"object":"module"}'),
}

SHARED = {
    list: Writer.list,
    dict: lambda writer, value, depth: writer.dict(value, depth),
    set: lambda writer, value, depth: writer.unordered("set", set.__iter__(value), set.__len__(value), depth),
    bytearray: lambda writer, value, depth: writer.bytes(value, depth, "bytearray"),
    deque: lambda writer, value, depth: (
        writer.sequence('{"deque":[', value, len(value), depth, "]}") if value.maxlen is None else writer.other(value, depth)
    ),
}

DATA = {
    dict: SHARED[dict],
    list: lambda writer, value, depth: writer.list(list.copy(value), depth),
    set: SHARED[set],
    frozenset: lambda writer, value, depth: writer.unordered(
        "frozenset", frozenset.__iter__(value), frozenset.__len__(value), depth
    ),
    tuple: lambda writer, value, depth: PLAIN[tuple](writer, tuple(tuple.__iter__(value)), depth),
    str: lambda writer, value, depth: writer.text(str.__str__(value), depth),
    bytes: lambda writer, value, depth: writer.bytes(bytes.__getitem__(value, slice(None)), depth),
    int: lambda writer, value, depth: writer.integer(int.__add__(value, 0), depth),
    float: lambda writer, value, depth: PLAIN[float](writer, float.__add__(value, 0.0), depth),
    deque: lambda writer, value, depth: writer.sequence("[", deque.__iter__(value), deque.__len__(value), depth, "]"),
    BaseException: lambda writer, value, depth: PLAIN[tuple](writer, arguments_of(value), depth),
    memoryview: lambda writer, value, depth: writer.bytes(value.tobytes(), depth),
}
CHANGES_INSIDE = (memoryview, SimpleNamespace)
