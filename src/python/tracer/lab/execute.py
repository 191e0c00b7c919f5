"""Runs a program, then evaluates the requested expressions with its names, and returns the outcome.

    {"code": "x = 1"}                                   ->  {"outcome": "passed"}
    {"code": "x = 1", "expression": "x == 1"}           ->  {"outcome": "passed"}
    {"code": "x = 1", "asked": [{"value": "x"}, ...]}   ->  {"outcome": "passed", "told": ["4f53...", ...]}
    {"code": "assert 1 > 2, 'no'"}                      ->  {"outcome": "assertion", "exception": "AssertionError", ...}
    {"code": "1 / 0"}                                   ->  {"outcome": "raised", "exception": "ZeroDivisionError", ...}
    {"code": "x = = 1"}                                 ->  {"outcome": "syntax", ...}

The reply has the digest of a value, and whether a test is true. Leaving by `sys.exit` is an exception like any other: it passes
nothing.
"""

import builtins
import sys
import traceback

# Bound here, as the program may replace the built-in functions before they are used.
from builtins import AssertionError, BaseException, MemoryError, bool, eval, str, type, zip
from types import ModuleType

from lab.digest import digest


def handle(request, digest=digest):
    asked = list(request.get("asked", ()))
    expression = request.get("expression")
    if expression is not None:
        asked.append({"truth": expression})
    try:
        program = compile(request["code"].removeprefix("\ufeff"), "<program>", "exec", dont_inherit=True)
        tests = [compile(test.get("value") or test["truth"], "<expression>", "eval", dont_inherit=True) for test in asked]
    except (SyntaxError, ValueError) as error:
        words = "".join(traceback.format_exception_only(error)).rstrip()
        return {"outcome": "syntax", "exception": type(error).__name__, "message": words}
    except RecursionError as error:
        return _failure("raised", error)
    module = ModuleType("__main__")
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    told = []
    try:
        exec(program, module.__dict__)
        for test, code in zip(asked, tests):
            value = eval(code, module.__dict__)
            told.append(digest(value, test["typed"]) if "value" in test else bool(value))
    except MemoryError:
        raise
    except AssertionError as error:
        end = _failure("assertion", error)
    except BaseException as error:
        end = _failure("raised", error)
    else:
        end = {"outcome": "passed"}
    if expression is not None and told and not told[-1]:
        return {"outcome": "assertion", "exception": "AssertionError", "message": "the expression is not true"}
    return end | {"told": told} if "asked" in request else end


def _failure(outcome, error):
    try:
        message = str(error)[:2000]
    except BaseException:
        message = ""  # its own __str__ fails
    return {"outcome": outcome, "exception": type(error).__name__, "message": message}
