"""The operation `trace`: a program and a call become a straight-line program, proven, with the state after each line.

    {"operation": "trace", "source": "def f(n):\\n    return n + 1", "call": "f(2)", "options": {}}

gives `code`, "n = 2\\nassert (n + 1) == 3", and the rest of the record that src/schemas/trace.ts describes.

Three runs, each in an interpreter in the state in which it was loaded:

    trace      makes the lines            here
    replay     runs the lines alone       lab.replay
    compare    runs the program itself    lab.compare
"""

import contextlib
import sys

from lab.anonymous import search_names
from lab.entry import restore_builtins
from lab.environment import EMBEDDED, begin
from lab.job import Job, kind_of, message_of, python
from lab.plan import needed_lines, write_plan
from lab.program import Call, Program, scan
from lab.run import FULL, Stop, Uncaught
from lab.script import Output, path_of
from lab.scopes import DEFINITIONS, scope_of
from lab.syntax import syntax_problem, syntax_reason
from lab.unroll import Unroller
from lab.values import read_json, write_value

VERSION = 1
SCRIPT = "None"
"""The call of a program that is followed without one: its module alone."""
PRINTED = 100_000
"""Number of characters of output in the record."""
RECURSION = 4_000
"""Frames of Python while a trace is made: about 15 for each call written out, the usual 1,000 for the program."""


def handle(request):
    """The record of a request. A mistake in source or call is a record without lines, its `reason` says which."""
    job = Job(request)
    source, call = job.source, job.call
    record = job.record = {
        "version": VERSION,
        "source": source,
        "call": call,
        **job.inputs,
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
            program = Program(source, path_of(job.file))
        functions = {node.name for node in program.tree.body if isinstance(node, DEFINITIONS[:2])}
        parsed = Call(call, functions, scope_of(program.tree).bound)
    except SyntaxError as error:
        problem = syntax_problem(error, source, call)
        return record | {"syntax": problem, "reason": syntax_reason(problem)}
    except (ValueError, RecursionError, MemoryError) as error:
        record["reason"] = f"the program cannot be read: {error}"
        return record
    if parsed.node is None and not parsed.known and parsed.text != SCRIPT:
        known = ", ".join(sorted(functions)) or "none"
        record["reason"] = f"the call {call} is of no function of the program; it defines {known}"
        return record
    if job.options.anonymous:
        search = search_names(job, program, parsed.name)
        if search is not None:
            return search
    try:
        return trace(program, parsed, job)
    except RecursionError:
        return record | {"reason": "the program is nested too deeply to be followed"}


@contextlib.contextmanager
def recursion(limit):
    """More frames for the tracer. The program, which reads the limit by name, sees the usual one and those that it sets."""
    read, write = sys.getrecursionlimit, sys.setrecursionlimit
    seen = before = read()

    def setrecursionlimit(limit, /):
        nonlocal seen
        write(limit)  # where it is too low, or no number, it says so
        write(max(limit, most))
        seen = limit

    most = max(before, limit)
    write(most)
    sys.getrecursionlimit, sys.setrecursionlimit = lambda: seen, setrecursionlimit
    try:
        yield
    finally:
        sys.getrecursionlimit, sys.setrecursionlimit = read, write
        write(before)


def trace(program, call, job):
    """The first of three runs, each in an interpreter that nothing has touched: it makes the lines of the trace."""
    watch = begin(lambda: unroller.current)
    with recursion(RECURSION):
        unroller = Unroller(program, job.options)
    stop = error = None
    output = Output(PRINTED)
    job.scanned = scan(program.tree)
    try:
        with recursion(RECURSION), output:
            unroller.follow(call)
    except Stop as stopped:
        stop = stopped
    except Uncaught as uncaught:
        error = uncaught.args[0]
    except RecursionError:
        stop = Stop("the calls are nested too deeply to be written out", unroller.current)
    except MemoryError:
        stop = Stop(FULL, unroller.current)
        unroller.namespace.clear()
        unroller.lines.pop()  # the line that asked for too much
        unroller.events = [event for event in unroller.events if event[3] <= len(unroller.lines)]
    finally:
        restore_builtins()
    if unroller.overflowed or handles_memory(unroller):
        watch.machine("memory")
        if EMBEDDED:
            watch.read["wordBits"] = 32
    if output.content:
        job.record["output"] = output.text()
    job.tell(watch)
    if watch.refused and (stop is None or error is not None):
        stop = Stop(watch.refused, watch.refused_at)
    return handed_on(program, unroller, stop, error, job)


def handles_memory(unroller):
    """Whether a function that is not written out handles a MemoryError: no line of the trace tells whether it had one."""
    mentions = [line for line in unroller.lines if line.role == "definition" and "except" in line.text and "MemoryError" in line.text]
    return bool(mentions) and any(line in mentions for line in needed_lines(unroller)[0])


def handed_on(program, unroller, stop, error, job):
    """The request that runs the trace by itself."""
    if stop and unroller.lines and unroller.lines[-1].role == "assert":
        unroller.lines.pop()
        unroller.events = [event for event in unroller.events if event[3] <= len(unroller.lines)]
    lines, count_of = needed_lines(unroller)
    events = [(*event[:3], count_of[event[3]], event[4]) for event in unroller.events]
    record = job.record
    record["code"] = "".join(line.text + "\n" for line in lines)
    record["steps"] = sum(line.role not in ("arguments", "assert") for line in lines)
    value = None
    if stop:
        record["reason"] = f"{stop.args[0]}{program.at(stop.args[1])}"
    elif error is not None:
        record["reason"] = f"the call raises {type(error).__name__}{program.at(lines[-1].number if lines else None)}: {message_of(error)}"
    else:
        value, cut = write_value(unroller.value, job.options.bounds)
        record["result"] = read_json(value)
        record["truncated"] = cut
        if unroller.way is None:
            record["literal"] = unroller.told
        else:
            record["compared"] = unroller.way
    made = {
        "plan": write_plan(program, lines, events),
        "stopped": stop is not None,
        "value": value,
        "way": unroller.way,
        "told": unroller.told,
        "error": kind_of(error),
    }
    return job.next("replay", made=made)
