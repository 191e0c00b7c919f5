"""The operation `outcomes`: what becomes of each test of a program, one after the other.

    {"source": "def f(n): return n", "tests": ["f(1) == 1", "f(1) == 2", "f()"]}
    ->  {"outcomes": ["passed", "failed", "TypeError"]}

The program runs once; a test that raises does not end the others.
"""

import contextlib

from lab.proof import Output
from lab.run import own_namespace


def handle(request):
    outcomes = []
    with contextlib.redirect_stdout(Output()):
        namespace = own_namespace()
        try:
            exec(compile(request["source"], "<program>", "exec", dont_inherit=True), namespace)
        except MemoryError:
            raise
        except BaseException as error:
            return {"outcomes": [type(error).__name__ for _ in request["tests"]]}
        for test in request["tests"]:
            try:
                holds = eval(compile(test.strip(), "<test>", "eval", dont_inherit=True), namespace)
                outcomes.append("passed" if holds else "failed")
            except MemoryError:
                raise
            except BaseException as error:
                outcomes.append(type(error).__name__)
    return {"outcomes": outcomes}
