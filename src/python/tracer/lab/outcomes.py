"""The operation `outcomes`: the outcome of each test of a program, in order.

    {"source": "def f(n): return n", "tests": ["f(1) == 1", "f(1) == 2", "f()"]}
    ->  {"outcomes": ["passed", "failed", "TypeError"]}

The program runs once; a test that raises does not stop the others. With `maximumLines` a program that executes more lines, calls and
returns than that is stopped, and this test and those after it are `endless`: unlike a clock, the same on every machine.
"""

import sys

from lab.script import Output, main_module, path_of

ENDLESS = "endless"


class Ended(BaseException):
    """Raised in a program that runs for longer than it may."""


def counting(most):
    left = most

    def trace(frame, event, argument):
        nonlocal left
        left -= 1
        if left < 0:
            raise Ended
        return trace

    return trace


def handle(request):
    most = request.get("maximumLines")
    if most is None:
        return {"outcomes": outcomes_of(request)}
    sys.settrace(counting(most))
    try:
        found = outcomes_of(request)
    finally:
        sys.settrace(None)
    cut = found.index(ENDLESS) if ENDLESS in found else len(found)
    return {"outcomes": found[:cut] + [ENDLESS] * (len(found) - cut)}


def outcomes_of(request):
    outcomes = []
    source, path = request["source"], path_of()
    with Output():
        namespace = main_module(source, path)
        try:
            exec(compile(source, path, "exec", dont_inherit=True), namespace)
        except MemoryError:
            raise
        except BaseException as error:
            return [name_of(error) for _ in request["tests"]]
        for test in request["tests"]:
            try:
                holds = eval(compile(test.strip(), "<test>", "eval", dont_inherit=True), namespace)
                outcomes.append("passed" if holds else "failed")
            except MemoryError:
                raise
            except BaseException as error:
                outcomes.append(name_of(error))
    return outcomes


def name_of(error):
    return ENDLESS if type(error) is Ended else type(error).__name__
