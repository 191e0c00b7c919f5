"""Probes of C functions, independent of how a program calls them: src/python/sandbox/probes.mjs replaces their entries.

    NOTES[LIBM]      1 once a function of the C library that rounds has run
    NOTES[GATE]      1 while the program runs, and not the tracer
"""

import _random
import _statistics
import array
import cmath
import functools
import json
import math
import os
import struct
import sys
import time
import types

NOTES = bytearray(32)
GATE, LIBM, WORDS, SEED, ADDRESSES, ZONE, STARRED = range(7)
CLOCK = 16
"""Offset of the embedded host's clock in the buffer, in seconds as a float64."""

EXACT = set(
    """ceil comb copysign degrees dist e fabs factorial floor fma fmax fmin fmod frexp fsum gcd hypot inf infj isclose isfinite isinf isnan
    isnormal issubnormal isqrt lcm ldexp modf nan nanj nextafter perm pi prod radians remainder signbit sqrt sumprod tau trunc ulp""".split()
)
"""Functions of `math` with equal results for all IEEE 754 floats; the others are the C library's, and may differ in the last digit."""
NATIVE_SIZES = frozenset("lLnNP")
"""Formats of C whose size is that of a word."""
listeners = {}
"""Functions of the run that is watched, by name: an answer takes the place of the function's own. Ellipsis: None."""

# offsets in a CPython 3.14 with words of 32 bits
_METHOD, _DESCRIPTOR, _SLOT = [8, 4], [20, 4], [24]
_REPR, _HASH, _ITER, _INIT, _NEW, _CALL = [44], [60], [108], [148], [156], [200]
_POWER, _ABSOLUTE, _ADD_IN_PLACE = [48, 20], [48, 32], [52, 32]


class _OwnHash:
    def __hash__(self):
        return 0


def enabled(run):
    """The function, while which runs a program is what is seen."""

    @functools.wraps(run)
    def watched(*arguments):
        NOTES[GATE] = 1
        try:
            return run(*arguments)
        finally:
            NOTES[GATE] = 0

    return watched


watched_exec, watched_eval = enabled(exec), enabled(eval)
watched_compile = enabled(compile)
"""Constants folded by the compiler, such as `147 ** -3`, count as the program's."""


def unseen(work):
    """A method of the lab that is called in the midst of a program."""

    @functools.wraps(work)
    def hidden(*arguments, **named):
        before = NOTES[GATE]
        NOTES[GATE] = 0
        try:
            return work(*arguments, **named)
        finally:
            NOTES[GATE] = before

    return hidden


def listened(name):
    def listener(*arguments):
        heard = listeners.get(name)
        return None if heard is None else heard(*arguments)

    return listener


def native_format(kind, format=None, *_):
    """Whether a format's size is that of a word: "l", and not "<l"."""
    if type(format) is bytes:
        format = format.decode("latin-1")
    if type(format) is str and format[:1] not in ("<", ">", "!", "=") and not NATIVE_SIZES.isdisjoint(format):
        NOTES[WORDS] = 1


def overflow(kind, message="", *_):
    if type(message) is str and any(word in message for word in (" C ", "index", "fit", "repetition number")):
        NOTES[WORDS] = 1


def out_of_range(kind, message="", *_):
    """decimal's limits are those of a word."""
    if type(message) is str and message.startswith("valid range for "):
        NOTES[WORDS] = 1


def seed(generator, value=0, *_):
    """Values other than integers are seeded by their hash."""
    if value is not None and not isinstance(value, int):
        NOTES[WORDS] = 1


def offer(path, translated):
    """Writes what is to be exchanged. `translated(arguments)` gives Linux's for an OSError's arguments, or None."""
    struct._clearcache()
    kept = offer.kept = []
    probes = []

    def probe(kind, value, path, **rest):
        probes.append({"kind": kind, "path": [id(value), *path], **rest})

    def note(value, path, *notes):
        probe("note", value, path, notes=notes)

    def ask(value, path, callback, kind="ask", **rest):
        kept.append(callback)
        probe(kind, value, path, callback=id(callback), **rest)

    for module in (math, cmath):
        for name, function in vars(module).items():
            if isinstance(function, types.BuiltinFunctionType) and (name not in EXACT or module is cmath and name == "sqrt"):
                note(function, _METHOD, LIBM)
    note(_statistics._normal_dist_inv_cdf, _METHOD, LIBM)
    note(float, _POWER, LIBM)
    note(complex, _POWER, LIBM)
    note(complex, _ABSOLUTE, LIBM)
    note(sys.getsizeof, _METHOD, WORDS)
    for kind in {object, *object.__subclasses__()}:
        size = vars(kind).get("__sizeof__")
        if isinstance(size, types.MethodDescriptorType):
            note(size, _DESCRIPTOR, WORDS)
    generator = (None for _ in ())
    for value in (object(), offer, generator, generator.gi_code, len, kept.append, _OwnHash().__hash__, types.CellType(), sys._getframe()):
        note(type(value), _REPR, ADDRESSES)

    for kind in (set, frozenset):
        probe("order", kind, _ITER, argument=0)
        probe("order", kind, _REPR, argument=0)
    probe("order", set.pop, _DESCRIPTOR, argument=0)
    probe("orderOfVector", list, _CALL, argument=0)
    probe("order", list.extend, _DESCRIPTOR, argument=1)
    probe("order", list, _ADD_IN_PLACE, argument=1)
    probe("orderOfVector", dict.fromkeys, _METHOD, argument=0)
    probe("orderOfVector", sorted, _METHOD, argument=0, named=True)
    probe("hash", hash, _METHOD)
    probe("ownHash", _OwnHash, _HASH)

    ask(struct.Struct, _INIT, native_format, shape="tuple")
    ask(array.array, _NEW, native_format, shape="tuple")
    ask(memoryview.cast, _DESCRIPTOR, native_format, shape="vector")
    ask(_random.Random.seed, _DESCRIPTOR, seed, shape="vector")
    kept += [overflow, out_of_range]
    probe("askOf", OverflowError, _CALL, callbacks={id(OverflowError): id(overflow), id(ValueError): id(out_of_range)})
    ask(OSError, _NEW, translated, kind="rewrite")
    ask(OSError, _INIT, translated, kind="rewrite")
    for name, function in {"sleep": time.sleep, "strftime": time.strftime, **{name: getattr(os, name) for name in QUESTIONS}}.items():
        ask(function, _METHOD, listened(name), shape="method")
    given = {
        "notes": id(NOTES),
        "none": id(None),
        "ellipsis": id(...),
        "sets": [id(set), id(frozenset)],
        "hashes": [
            *[["int", id(int)], ["float", id(float)], ["text", id(str)], ["text", id(bytes)], ["tuple", id(tuple)]],
            *[["frozenset", id(frozenset)], ["address", id(object)], ["address", id(type(None))], ["own", id(_OwnHash)]],
        ],
        "probes": probes,
    }
    with open(path, "w") as file:
        json.dump(given, file)


QUESTIONS = "stat lstat fstat access readlink statvfs getcwd getcwdb kill strerror".split()
"""Functions of `os` that ask something of the machine."""
