"""The repr of objects of the standard library, without running code of the program.

    forms_of(Decimal("0.1"))            ["Decimal('0.1')"]
    forms_of(Counter("aab"))            ["Counter(", ")"]             around the data of the object
    forms_of(Point(1, 2))               ["Point(", ")", "x", "y"]     a namedtuple, with the names of its items

A class in C writes its objects itself if they contain only numbers and texts. A class in Python can be changed by a program, so the data of
its objects is read through their slots, and written here.
"""

from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from sys import modules, version_info
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, SimpleNamespace

# Built-in functions replaced by a program must not change its record.
from builtins import BaseException, all, any, bool, dict, getattr, len, next, object, repr, str, tuple, type

bases_of = type.__dict__["__mro__"].__get__
dictionary_of = type.__dict__["__dict__"].__get__
name_of = type.__dict__["__name__"].__get__
flags_of = type.__dict__["__flags__"].__get__
module_of = type.__dict__["__module__"].__get__
arguments_of = BaseException.__dict__["args"].__get__
HEAP, IMMUTABLE, COLLECTED = 1 << 9, 1 << 8, 1 << 14
"""A flag of classes. Objects unknown to the cycle collector contain no other objects, except a time zone."""
PLAIN = (("array", "array"), ("re", "Pattern"), ("re", "Match"), ("time", "struct_time"), ("decimal", "Decimal"))
"""Classes whose objects are known to it, and hold numbers and texts alone."""
NAMED = next(each for each in namedtuple.__code__.co_consts if getattr(each, "co_name", None) == "__repr__")
"""The code with which every namedtuple writes itself."""
PAIRS = version_info < (3, 12)
"""An OrderedDict is written as a list of pairs."""


def has(bases, kind):
    """`kind in bases`, without asking a metaclass of the program."""
    return any([each is kind for each in bases])


def is_in_c(kind):
    return type(kind) is type and (not flags_of(kind) & HEAP or bool(flags_of(kind) & IMMUTABLE))


def is_constant(kind):
    """Whether its objects never change."""
    module = module_of(kind)
    return type(module) is str and module in ("decimal", "datetime", "re", "fractions", "uuid", "pathlib", "pathlib._local")


def slot(value, name):
    """The value of a slot, or a field, read without asking the class."""
    for base in bases_of(type(value)):
        member = dictionary_of(base).get(name)
        if type(member) is MemberDescriptorType:
            return member.__get__(value)
    return fields_in(value)[name]


def fields_in(value):
    for base in bases_of(type(value)):
        holder = dictionary_of(base).get("__dict__")
        if type(holder) is GetSetDescriptorType:
            return holder.__get__(value)
    return {}


def forms_of(value, kind):
    """The texts around the object's data, or alone; None if no text can be made safely."""
    try:
        if type(kind) is type and kind in COMPOSED:
            return COMPOSED[kind](value)
        if is_in_c(kind):
            return in_c(value, kind)
        known = LIBRARY.get((module_of(kind), name_of(kind))) if type(module_of(kind)) is str else None
        if known is not None and getattr(modules.get(module_of(kind)), name_of(kind), None) is kind:
            return [known(value)]
        return of_program(value, kind)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def in_c(value, kind):
    if has(bases_of(kind), BaseException):
        return [f"{name_of(kind)}(", ")"]
    if kind.__repr__ is object.__repr__:
        return None
    zone = getattr(value, "tzinfo", None) if module_of(kind) == "datetime" else None
    if zone is not None and not is_in_c(type(zone)):
        return None
    if flags_of(kind) & COLLECTED and (module_of(kind), name_of(kind)) not in PLAIN:
        return None
    text = repr(value)
    return None if " at 0x" in text or "@ 0x" in text else [text]


def of_program(value, kind):
    bases = bases_of(kind)
    if has(bases, tuple):
        function = next((dictionary_of(base)["__repr__"] for base in bases if "__repr__" in dictionary_of(base)), None)
        if type(function) is FunctionType and function.__code__ is NAMED:
            names = next(dictionary_of(base)["_fields"] for base in bases if "_fields" in dictionary_of(base))
            if type(names) is tuple and all(type(each) is str for each in names) and len(names) == tuple.__len__(value):
                return [f"{name_of(kind)}(", ")", *names]
    if is_member(kind):
        enum = modules["enum"]
        # what a program says of its members itself is not asked
        owner = next(base for base in bases if "__repr__" in dictionary_of(base))
        own = [dictionary_of(base)["__repr__"] for base in (enum.Enum, enum.Flag) if "__repr__" in dictionary_of(base)]
        if dictionary_of(owner)["__repr__"] in own and type(slot(value, "_name_")) is str:
            return [f"<{name_of(kind)}.{slot(value, '_name_')}: ", ">"]
    return None


def is_member(kind):
    enum = modules.get("enum")
    return enum is not None and has(bases_of(kind), getattr(enum, "Enum", None))


def factory(value):
    made = value.default_factory
    if type(made) is type:
        module = module_of(made)
        return f"<class '{'' if module == 'builtins' else f'{module}.'}{name_of(made)}'>"
    return "None" if made is None else f"<{type(made).__name__}>"


def ordered(value):
    if len(value) == 0:
        return ["OrderedDict()"]
    return ["OrderedDict([", "])"] if PAIRS else ["OrderedDict(", ")"]


def path(value):
    try:
        parts = slot(value, "_raw_paths")
    except (AttributeError, KeyError):
        parts = slot(value, "_parts")
    text = ""
    for each in parts:
        text = each if each.startswith("/") or not text else f"{text}/{each}" if text != "/" else f"/{each}"
    root = "" if not text.startswith("/") else "//" if text.startswith("//") and not text.startswith("///") else "/"
    rest = "/".join([each for each in text.split("/") if each not in ("", ".")])
    return f"{type(value).__name__}({(root + rest or '.')!r})"


def unique(value):
    digits = "%032x" % slot(value, "int")
    return f"UUID('{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}')"


COMPOSED = {
    Counter: lambda value: ["Counter()"] if dict.__len__(value) == 0 else ["Counter(", ")"],
    defaultdict: lambda value: [f"defaultdict({factory(value)}, ", ")"],
    OrderedDict: ordered,
    deque: lambda value: ["deque(", f", maxlen={value.maxlen})"],
    SimpleNamespace: lambda value: ["namespace(", ")"],
    memoryview: lambda value: ["<memory of ", ">"],
}
LIBRARY = {
    ("fractions", "Fraction"): lambda value: f"Fraction({slot(value, '_numerator')}, {slot(value, '_denominator')})",
    ("uuid", "UUID"): unique,
    **{(module, name): path for module in ("pathlib", "pathlib._local") for name in ("PurePosixPath", "PosixPath")},
}
