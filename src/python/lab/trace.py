"""The operation `trace`: a program and a call become a straight-line program, proven, with the state after each line.

    {"operation": "trace", "source": "def f(n):\\n    return n + 1", "call": "f(2)", "options": {}}

gives `code`, "n = 2\\nassert (n + 1) == 3", and the rest of the record that src/records/trace.ts describes.
"""

import ast
import contextlib
import sys
import warnings

from lab.anonymous import without_names
from lab.definitions import FRAME_READERS
from lab.literals import literal
from lab.nodes import walk
from lab.program import Call, Program
from lab.proof import Output, ProgramRun, TraceRun
from lab.run import Stop, Uncaught
from lab.scopes import DEFINITIONS
from lab.syntax import syntax_problem, syntax_reason
from lab.unroll import Unroller
from lab.values import Bounds, read_json, write_value

VERSION = 1
FAILED = "the proof failed"
RECURSION = 4_000
"""Frames of Python while a trace is made: about 15 for each call written out, the usual 1,000 for the program."""


class Options:
    """What a request may ask for, with defaults."""

    def __init__(self, given):
        self.maximum_steps = given.get("maximumSteps", 10_000)
        self.maximum_depth = given.get("maximumDepth", 150)
        # of the states of all lines together; those behind it are compared, but not part of the record
        self.maximum_state_characters = given.get("maximumStateCharacters", 8_000_000)
        self.anonymous = given.get("anonymous", False)
        self.calls = given.get("calls", "inline")
        self.keep_conditions = False
        self.bounds = Bounds(**given.get("bounds", {}))


def handle(request):
    """The record of a request. A mistake in source or call is a record without lines, its `reason` says which."""
    with warnings.catch_warnings():
        # the same piece of source is compiled many times over
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        return record_of(request)


def record_of(request):
    source, call = request["source"], request["call"]
    options = Options(request.get("options") or {})
    record = {
        "version": VERSION,
        "source": source,
        "call": call,
        "code": "",
        "lines": [],
        "result": None,
        "literal": None,
        "steps": 0,
        "proven": False,
        "python": python(),
        "truncated": False,
        "reason": None,
    }
    try:
        with recursion(RECURSION):
            program = Program(source)
        functions = {node.name for node in program.tree.body if isinstance(node, DEFINITIONS[:2])}
        parsed = Call(call, functions)
    except SyntaxError as error:
        problem = syntax_problem(error, source, call)
        return record | {"syntax": problem, "reason": syntax_reason(problem)}
    except (ValueError, RecursionError, MemoryError) as error:
        record["reason"] = f"the program cannot be read: {error}"
        return record
    if parsed.node is not None and options.anonymous:
        source, call = without_names(source, call, program.tree, parsed.name)
        return record_of({"source": source, "call": call, "options": {**request["options"], "anonymous": False}})
    if parsed.node is None:
        known = ", ".join(sorted(functions)) or "none"
        record["reason"] = f"the call {call} is of no function of the program; it defines {known}"
        return record
    try:
        attempt = best_attempt(program, parsed, options, record)
    except RecursionError:
        return record | {"reason": "the program is nested too deeply to be followed"}
    if not attempt["proven"]:
        attempt["reason"] = frame_reader(program, parsed.name) or attempt["reason"]
    return attempt


def best_attempt(program, call, options, record):
    """Where the proof fails a condition that was left out had an effect after all: all are kept, and then all calls."""
    attempt = trace(program, call, options, dict(record))
    for change in ({"keep_conditions": True}, {"calls": "keep"}):
        if not (attempt["reason"] or "").startswith(FAILED):
            break
        options.__dict__.update(change)
        again = trace(program, call, options, dict(record))
        if again["proven"]:
            return again
    return attempt


def frame_reader(program, name):
    """Where the function asks for its own variables: a trace has them beside those of all other calls."""
    for node in program.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            for part in walk(node):
                if isinstance(part, ast.Name) and part.id in FRAME_READERS:
                    return f"{part.id} reads the variables of its own call, line {program.line(part.lineno)}"
    return None


@contextlib.contextmanager
def recursion(limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def trace(program, call, options, record):
    with recursion(RECURSION):
        unroller = Unroller(program, options)
    output = Output()
    stop = error = None
    try:
        with recursion(RECURSION), contextlib.redirect_stdout(output):
            unroller.follow(call)
    except Stop as stopped:
        stop = stopped
    except Uncaught as uncaught:
        error = uncaught.args[0]
    except RecursionError:
        stop = Stop("the calls are nested too deeply to be written out", unroller.current)
    finish(record, program, call, options, unroller, stop, error, output)
    return record


def finish(record, program, call, options, unroller, stop, error, output):
    lines, count_of = needed_lines(unroller)
    events = [(*event[:3], count_of[event[3]], event[4]) for event in unroller.events]
    wanted = {}
    for i, line in enumerate(lines):
        wanted.setdefault(i + 1, {})[line.stack] = None
    for _, _, _, count, stack in events:
        wanted.setdefault(count, {})[stack] = None
    texts = [line.text for line in lines]
    run = TraceRun(texts, wanted, options.bounds, options.maximum_state_characters, stop is None)
    record["code"] = "".join(text + "\n" for text in texts)
    record["steps"] = sum(line.role not in ("arguments", "assert") for line in lines)
    record["truncated"] = run.cut or run.left < 0
    record["lines"] = [written(program, line, run.after.get((i + 1, line.stack))) for i, line in enumerate(lines)]
    where = stop.args[1] if stop else None
    if stop:
        at = "" if where is None else f", line {program.line(where)}"
        record["reason"] = f"{stop.args[0]}{at}"
    if error is not None:
        number = lines[-1].number if lines else None
        at = "" if number is None else f", line {program.line(number)}"
        record["reason"] = f"the call raises {type(error).__name__}{at}: {message_of(error)}"
    if stop is None:
        prove(record, program, call, events, run, unroller, error, output, options)


def prove(record, program, call, events, run, unroller, error, output, options):
    original = ProgramRun(program, call.text, events, run.after, options.bounds)
    problem = original.problem
    if type(run.error) is not type(error) or type(original.error) is not type(error):
        problem = problem or f"the trace ends with {described(run.error)}, the program with {described(original.error)}"
    if problem is None and error is None:
        text, cut = write_value(unroller.value, options.bounds)
        record["result"] = read_json(text)
        record["literal"] = literal(unroller.value)
        record["truncated"] = record["truncated"] or cut
        if text != original.result:
            problem = "another result"
    if problem is None and not original.output.text() == run.output.text():
        problem = "another output"
    if problem is None:
        record["proven"] = True
    else:
        record["reason"] = "; ".join(filter(None, [f"{FAILED}: {problem}", record["reason"]]))


def needed_lines(unroller):
    """The lines without definitions that nothing uses, and for a count of all lines that of those left."""
    if not any(line.role == "definition" for line in unroller.lines):
        return unroller.lines, range(len(unroller.lines) + 1)
    used = set()
    names_of = {}
    waiting = []
    definitions = {}
    for line in unroller.lines:
        if line.role == "definition":
            for name in line.defines:
                definitions.setdefault(name, []).append(line)
        else:
            waiting.append(line)
    kept = set()
    while waiting:
        line = waiting.pop()
        if id(line) in kept:
            continue
        kept.add(id(line))
        names = names_of.get(line.text)
        if names is None:
            code = unroller.codes.get(line.text) or compile(line.text, "<trace>", "exec", dont_inherit=True)
            names = names_of[line.text] = names_used(code)
        for name in names - used:
            used.add(name)
            waiting.extend(definitions.get(name, ()))
    lines, count_of = [], [0]
    for line in unroller.lines:
        if id(line) in kept:
            lines.append(line)
        count_of.append(len(lines))
    return lines, count_of


def names_used(code):
    """Names that the code, or code inside it, looks up."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            found |= names_used(constant)
    return found


def written(program, line, state):
    return {
        "code": line.text,
        "line": None if line.number is None else program.line(line.number),
        "helper": line.helper,
        "role": line.role,
        "state": read_json(state) if type(state) is str else None,
    }


def python():
    version = ".".join(map(str, sys.version_info[:3]))
    return {"version": version, "wordBits": 64 if sys.maxsize > 2**32 else 32}


def message_of(error):
    """The first argument if it is a text: str() of an exception may be the program's own code."""
    arguments = BaseException.args.__get__(error)
    return arguments[0] if arguments and type(arguments[0]) is str else ""


def described(error):
    return "no exception" if error is None else type(error).__name__
