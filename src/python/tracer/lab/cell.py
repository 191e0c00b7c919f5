"""Runs one cell of a session: its names stay for the next one, as in a notebook.

    {"code": "x = 1", ...}                 ->  {"end": "finished", "output": "", "names": [["x", "int"]], ...}
    {"code": "print(x + 1)", ...}          ->  {"end": "finished", "output": "2\\n", ...}
    {"code": "y", ...}                     ->  {"end": "raised", "exception": "NameError", "message": "name 'y' is not defined", ...}

A tool is a function of the cell whose work is done outside: its name and arguments go out as a line of JSON, and the answer
comes back as one. What the tools act on is not in this process, so there is nothing here that a program could dig out.
Whatever a program says in the name of this module is its own word, and it gains nothing by that.
"""

import builtins
import io
import json
import os
import sys
import threading
import traceback
from types import ModuleType

ERRORS = {kind.__name__: kind for kind in (KeyError, LookupError, PermissionError, RuntimeError, TypeError, ValueError)}
MOST_NAMES = 200

_module = ModuleType("__main__")
_lock = threading.Lock()


def _ask(line):
    """On the embedded host: a path that JavaScript handles (embedded-child.mjs)."""
    way = os.open("/lab/tools", os.O_RDWR)
    try:
        os.write(way, line.encode("ascii") + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = os.read(way, 2**16)
            if not part:
                raise OSError("the tools are not there")
            answer += part
        return answer.decode("ascii")
    finally:
        os.close(way)


def connect(ask):
    """`ask` takes a line and gives one; called by the native host before the first cell."""
    global _ask
    _ask = ask


class Output(io.TextIOBase):
    """Keeps the beginning of what is printed and counts the rest."""

    def __init__(self, most):
        self.parts, self.kept, self.written, self.most = [], 0, 0, most

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        part = text[: self.most - self.kept]
        if part:
            self.parts.append(part)
            self.kept += len(part)
        self.written += len(text)
        return len(text)


def handle(request):
    output = Output(request["outputCharacters"])
    names = _module.__dict__
    names["__builtins__"] = builtins
    tools = {name: _tool(name, parameters) for name, parameters in request["tools"]}
    names.update(tools)
    sys.modules["__main__"] = _module
    before, sys.stdout = sys.stdout, output
    try:
        end = _run(request["code"], names)
    finally:
        sys.stdout = before
    return end | {"output": "".join(output.parts), "characters": output.written, "names": _names(names, tools)}


def _run(code, names):
    try:
        program = compile(code, "<cell>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        words = "".join(traceback.format_exception_only(error)).rstrip()
        return {"end": "syntax", "exception": type(error).__name__, "message": words[:2000]}
    try:
        exec(program, names)
    except MemoryError:
        raise
    except BaseException as error:
        return {"end": "raised", "exception": type(error).__name__, "message": _text(error)}
    return {"end": "finished", "exception": "", "message": ""}


def _text(error):
    try:
        return str(error)[:2000]
    except BaseException:
        return ""  # its own __str__ fails


def _names(names, tools):
    """The names of the session: [["seen", "dict"], ...], without tools and Python's internal names."""
    kind = type.__dict__["__name__"].__get__
    found = [[name, kind(type(value))] for name, value in names.items() if type(name) is str and name[:2] != "__"]
    return sorted(each for each in found if names[each[0]] is not tools.get(each[0]))[:MOST_NAMES]


def _tool(name, parameters):
    def tool(*arguments, **named):
        given = list(arguments)
        for parameter in parameters[len(given):]:
            if parameter not in named:
                break
            given.append(named.pop(parameter))
        if named or len(given) != len(parameters):
            count = len(given) + len(named)
            raise TypeError(f"{name}({', '.join(parameters)}) takes {len(parameters)} arguments, got {count}")
        line = json.dumps([name, given], allow_nan=False)
        with _lock:
            answer = json.loads(_ask(line))
        if "error" in answer:
            raise ERRORS.get(answer["error"], RuntimeError)(answer["message"])
        return answer["value"]

    tool.__name__ = tool.__qualname__ = name
    return tool
