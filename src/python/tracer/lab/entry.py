"""Answers requests: JSON text in, JSON text out. An operation is a module of this package with a `handle(request)`.

    handle('{"operation": "execute", "code": "x = 1"}') == '{"outcome":"passed"}'

An answer may be `Next`: the host runs that request in an interpreter in the state in which this one began. So a program
cannot affect what is run after it.

A module lets MemoryError through: the host reports it as the memory limit. What is needed after the program ran is
bound beforehand, so that a program that replaces a function or a builtin breaks itself and not the answer.
"""

import builtins
import gc
import json
import platform
import sys
from importlib import import_module
from json.encoder import c_make_encoder, encode_basestring_ascii

from lab import guard, script

_builtins = dict(vars(builtins))


def _refuse(value):
    raise TypeError(f"a {type(value).__name__} in an answer")


# Runs in C only: calls nothing that a program can reach by name. NaN is refused, as it is not JSON.
_encode = c_make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)


class Next:
    """The next request for a fresh interpreter: an operation, and the rest of the request. Withheld values go to the host."""

    def __init__(self, operation, withheld=None, **rest):
        self.request = {"operation": operation, **rest}
        self.withheld = withheld


def start():
    """Called once, before any program: closes the ways inside."""
    if sys.platform == "emscripten":
        from lab import environment, event_loop  # Pyodide has loaded asyncio in any case

        event_loop.install()
        sys.stdout.reconfigure(line_buffering=False)  # as without a terminal
        environment.install()
    guard.seal()
    gc.collect()
    gc.freeze()  # a collection of garbage would write to every object, and so to all memory that is put back or forked


def run(request):
    module = import_module(f"lab.{request['operation']}")
    script.give_inputs(request)
    return module.handle(request)


def handle(text, encode=_encode):
    """Whether the answer is the last one, its text, and what the program is not to know."""
    request = json.loads(text)
    operation = request["operation"]
    if not operation.isidentifier():
        raise ValueError(f"no operation {operation!r}")
    try:
        value = run(request)
    finally:
        restore_builtins()
    if type(value) is Next:
        return False, "".join(encode(value.request, 0)), value.withheld
    return True, "".join(encode(value, 0)), None


def describe():
    return {
        "version": platform.python_version(),
        "wordBits": 64 if sys.maxsize > 2**32 else 32,
        "implementation": sys.implementation.name,
    }


_description = describe()


def answer(text, result_bytes, encode=_encode, description=_description):
    """A line of JSON that says how the request ended and, where it is done, the value on a second line."""
    value = ""
    try:
        last, value, withheld = handle(text)
        if not last:
            header = {"kind": "next", "withheld": withheld}
        elif len(value) <= result_bytes:
            header = {"kind": "done", "python": description}
        else:
            header = _end("result-size", f"the answer has {len(value)} bytes, {result_bytes} are allowed")
    except MemoryError:
        header = _end("memory", "the program used more memory than it may")
    except SystemExit as error:
        header = _end("exited", f"the program left by SystemExit({error.code!r:.100})")
    except BaseException as error:
        header = _end("crashed", f"{type(error).__name__}: {_text(error):.2000}{_place(error)}")
    _flush()
    head = "".join(encode(header, 0))
    return f"{head}\n{value}" if header["kind"] in ("done", "next") else f"{head}\n"


def _end(kind, words):
    return {"kind": kind, "words": words}


def restore_builtins():
    """At once, and whether or not they were replaced: what follows needs them."""
    now = builtins.__dict__
    now.clear()
    now.update(_builtins)


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
