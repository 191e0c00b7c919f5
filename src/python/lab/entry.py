"""Answers requests: JSON text in, JSON text out. An operation is a module of this package with a `handle(request)`.

    handle('{"operation": "execute", "code": "x = 1"}') == '{"outcome": "passed"}'

A module lets MemoryError through: the host reports it as the memory limit.
"""

import json
import platform
import sys
from importlib import import_module

from lab import guard

_baseline = []


def start(share):
    """Called once, before any program: closes the ways inside, and notes how a shared interpreter is to be left."""
    guard.seal()
    if share:
        _baseline.append(guard.Baseline())


def handle(text, dumps=json.dumps):
    """What is used after the program ran is a default: it is not looked up where the program can replace it."""
    request = json.loads(text)
    operation = request["operation"]
    if not operation.isidentifier():
        raise ValueError(f"no operation {operation!r}")
    value = import_module(f"lab.{operation}").handle(request)
    return dumps(value, allow_nan=False, separators=(",", ":"))


def describe():
    return {
        "version": platform.python_version(),
        "wordBits": 64 if sys.maxsize > 2**32 else 32,
        "implementation": sys.implementation.name,
    }


def answer(text, result_bytes, dumps=json.dumps):
    """A line of JSON that says how the request ended and, where it is done, the value on a second line."""
    header, value = _attempt(text, result_bytes)
    _flush()
    if _baseline:
        header["restored"] = _baseline[0].restore()
    return dumps(header) + "\n" + value


def _attempt(text, result_bytes):
    try:
        value = handle(text)
    except MemoryError:
        return {"kind": "memory", "words": "the program used more memory than it may"}, ""
    except SystemExit as error:
        return {"kind": "exited", "words": f"the program left by SystemExit({error.code!r:.100})"}, ""
    except BaseException as error:
        return {"kind": "crashed", "words": f"{type(error).__name__}: {_text(error):.2000}{_place(error)}"}, ""
    if len(value) > result_bytes:
        return {"kind": "result-size", "words": f"the answer has {len(value)} bytes, {result_bytes} are allowed"}, ""
    return {"kind": "done", "python": describe()}, value


def _text(error):
    try:
        return str(error)
    except BaseException:
        return "an exception without words"


def _place(error):
    """The last line of the lab that the exception passed through."""
    place, step = "", error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if filename.startswith("<lab>"):
            place = f" ({filename}, line {step.tb_lineno})"
        step = step.tb_next
    return place


def _flush():
    for stream in (sys.__stdout__, sys.__stderr__, sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass  # the program closed or replaced it


def serve(request_path, reply_path, result_bytes, open=open):
    """The embedded host's way in: files of the interpreter's own memory."""
    with open(request_path, encoding="utf-8") as file:
        text = file.read()
    reply = answer(text, result_bytes)
    with open(reply_path, "w", encoding="utf-8") as file:
        file.write(reply)
