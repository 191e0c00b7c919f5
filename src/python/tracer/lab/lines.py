"""The operation `lines`: what happened in a program, line by line, from which a debugger can be built.

    {"operation": "lines", "source": "def f(n):\\n    n += 1\\n    return n", "call": "f(2)"}

    call    f  line 1  {n: 2}
    line    f  line 2  {n: 2}          the state before the line runs
    line    f  line 3  {n: 3}
    return  f  line 3  {n: 3}  3

Functions of the program alone are shown, and its module; lambdas and comprehensions belong to the line they stand on.
"""

import ast
import sys
from opcode import opmap

from lab.run import FULL, HOST, Constants
from lab.scopes import COMPREHENSIONS, FUNCTIONS, scope_of
from lab.script import Output, main_module, path_of
from lab.syntax import syntax_problem, syntax_reason
from lab.job import Options, message_of, python
from lab.values import read_json, write_state, write_value

VERSION = 1
GENERATOR = 0x20 | 0x80 | 0x200
"""Flags of code objects: generator, coroutine, asynchronous generator."""


LEAVES = frozenset(opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "YIELD_VALUE") if name in opmap)
"""Instructions that end or suspend a call; at any other instruction an exception ends it."""


NEXT = opmap["FOR_ITER"]
INLINED = sys.version_info >= (3, 12)
"""Whether comprehensions run in the frame that they stand in, where each turn tells its line."""


class LineTrace:
    def __init__(self, namespace, code, call, names, options, tree):
        self.names = names
        self.bounds = options.bounds
        self.maximum = options.maximum_steps
        self.events = []
        self.depth = 0
        self.bytes, self.inside = {}, {}
        self.spans = [(span_of(node), span_of(node.generators[0].iter)) for node in ast.walk(tree) if isinstance(node, COMPREHENSIONS[:3])] if INLINED else []
        self.cut = False
        self.full = False
        self.error = self.result = None
        self.file = code.co_filename
        with Output() as self.output:
            previous = sys.gettrace()
            sys.settrace(self.called)
            try:
                exec(code, namespace)
                self.calling()
                value = eval(call, namespace)
            except BaseException as error:
                self.error = error
                self.watched = sys.gettrace() is not None
            else:
                self.watched = sys.gettrace() is not None
                sys.settrace(None)
                self.result = self.value(value)
            finally:
                sys.settrace(previous)
        if isinstance(self.error, MemoryError):
            namespace.clear()
            self.error = MemoryError()  # without the frames of the run
            self.release()
        elif isinstance(self.error, HOST):
            raise self.error

    def release(self):
        """No memory is left: what keeps values of the program is dropped, what was recorded of them stays."""

    def calling(self):
        """The module has run; the call comes next."""

    def called(self, frame, event, argument):
        code = frame.f_code
        if code.co_filename != self.file or (code.co_firstlineno, code.co_name) not in self.names:
            return None
        self.add_event("call", frame)
        self.depth += 1
        return self.local

    def local(self, frame, event, argument):
        if event == "return":
            self.depth -= 1
            code = self.bytes.get(frame.f_code)
            if code is None:
                code = self.bytes[frame.f_code] = frame.f_code.co_code
            more = {} if code[frame.f_lasti] in LEAVES else {"unwinding": True}
            self.add_event(event, frame, value=self.value(argument), **more)
        elif event == "exception":
            if frame.f_code.co_flags & GENERATOR and argument[0] is StopIteration and argument[2] is None:
                return self.local  # how `yield from` and `await` hear of the end, no exception of the program
            given = self.value(BaseException.args.__get__(argument[1]))
            self.add_event(event, frame, exception={"type": argument[0].__name__, "message": message_of(argument[1]), "arguments": given})
        elif event == "line" and not (INLINED and self.in_comprehension(frame)):
            self.add_event(event, frame)
        return self.local

    def in_comprehension(self, frame):
        inside = self.inside.get(frame.f_code)
        if inside is None:
            code = frame.f_code
            inside = self.inside[code] = [
                any(holds(span, place) and (step == NEXT or not holds(first, place)) for span, first in self.spans)
                for place, step in zip(code.co_positions(), code.co_code[::2])
            ]
        return inside[frame.f_lasti >> 1]

    def add_event(self, event, frame, **more):
        if len(self.events) >= self.maximum:
            self.full = True
            sys.settrace(None)
            return
        code = frame.f_code
        known = frame.f_locals
        names = self.names[code.co_firstlineno, code.co_name]
        text, cut = write_state([(name, known[name]) for name in names if name in known], self.bounds)
        self.cut = self.cut or cut
        place = {"event": event, "line": frame.f_lineno, "function": code.co_name, "depth": self.depth}
        self.events.append({**place, "state": read_json(text), **more})

    def reason(self):
        if isinstance(self.error, MemoryError):
            return FULL
        if self.error is not None:
            return f"the call raises {type(self.error).__name__}: {message_of(self.error)}"
        return f"more than {self.maximum} events" if self.full else None

    def value(self, value):
        text, cut = write_value(value, self.bounds)
        self.cut = self.cut or cut
        return read_json(text)


def handle(request, run=LineTrace):
    source, call = request["source"], request["call"]
    options = Options(request.get("options") or {})
    record = {"version": VERSION, "source": source, "call": call, "events": [], "result": None, "output": ""}
    record |= {"python": python(), "truncated": False, "reason": None}
    path = path_of(request.get("file"))
    try:
        tree = ast.parse(source, path)
        constants = Constants()
        code = constants.share(compile(tree, path, "exec", dont_inherit=True))
        expression = constants.share(compile(call.strip(), "<call>", "eval", dont_inherit=True))
    except SyntaxError as error:
        problem = syntax_problem(error, source, call)
        return record | {"syntax": problem, "reason": syntax_reason(problem)}
    except (ValueError, RecursionError, MemoryError) as error:
        return record | {"reason": f"the program cannot be read: {error}"}
    namespace = main_module(source, path)
    trace = run(namespace, code, expression, names_of(tree), options, tree)
    record |= {"events": trace.events, "result": trace.result, "output": trace.output.text(), "reason": trace.reason()}
    record["truncated"] = trace.cut or trace.full
    return record


def span_of(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def holds(span, place):
    """Whether an instruction's place (first line, last line, first column, last column) lies in a part of the text."""
    line, last, column, end = place
    return None not in place and span[0] <= (line, column) and (last, end) <= span[1]


def names_of(tree):
    """The variables of every function, by the place where Python says that its code begins."""
    found = {(first, "<module>"): scope_of(tree).data for first in (0, 1)}
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS) and not isinstance(node, ast.Lambda):
            first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            found[first, node.name] = scope_of(node).data
    return found
