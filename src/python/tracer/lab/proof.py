"""The proof of a trace: it is run as a program, and the program itself is run; every state must be the same.

    program                        trace
    statement 3, before it: {n: 2}     line 4, after it: {n: 2}      compared as text

The program runs untouched under sys.settrace, each of its statements known by the instruction it begins with (lab.program);
the trace runs once more from its text alone. Neither run knows what the unroller did, except which calls it wrote out.
"""

import __future__
import ast
import functools
import inspect
import json
import operator
import sys

from lab.changes import Changes, expanded
from lab.probes import watched_eval, watched_exec
from lab.program import Places, instructions_of
from lab.results import told
from lab.run import HOST, MISSING, Constants
from lab.script import FRAMES, Output, allow_frames, main_module
from lab.states import States
from lab.values import identity, read_json, write_texts, write_value

WATCHER = 500
"""Frames for what watches a deep program."""
PIECE = 2_000
"""Number of lines of a trace that are compiled at a time."""
FUTURES = functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
# statements whose line Python visits again on the way out of them
AGAIN = (ast.With, ast.Return, ast.Try, ast.For, ast.While, ast.ClassDef, ast.FunctionDef)


def short(state, name):
    if name not in state:
        return "is not there"
    text = json.dumps(state[name], ensure_ascii=False)
    return f"is {text if len(text) <= 60 else text[:59] + '…'}"


class Limit:
    """Ends calls where plain Python has no more frames for them, in a run whose watch needs some: `roots` are the codes that are run, `frames` those that are watched."""

    def __init__(self, watch, roots, frames=()):
        self.watch, self.roots, self.frames = watch, roots, frames

    def check(self, frame):
        depth = 1
        while frame is not None and frame.f_code not in self.roots:
            frame, depth = frame.f_back, depth + 1
            if depth > FRAMES:
                sys.setprofile(self.again)
                raise RecursionError("maximum recursion depth exceeded")

    def again(self, *_):
        """Python ends a watch that raises: what it tells next begins it again."""
        sys.setprofile(None)
        sys.settrace(self.watch)
        for frame in self.frames:
            if frame.f_trace_opcodes:
                frame.f_trace_opcodes = False
                frame.f_trace_opcodes = True


class TraceRun:
    """The states of a trace. `after[count, stack]` identifies the variables of `stack` after `count` lines: it is a
    digest. `told` is the record after each line, as a difference: up to `characters` of all of them together.
    A run without memory ends the job, one of a `partial` trace only the run: `count` lines have run then.
    """

    def __init__(self, lines, wanted, bounds, characters, careful, path, partial=False, deep=False):
        self.after = {}
        self.lines = lines
        self.told = [{"state": None}] * len(lines)
        self.changes = Changes(characters)
        self.states = States(bounds, careful)
        self.error = None
        self.wanted = wanted
        texts = [line.text for line in lines]
        self.path, self.code, self.limit = path, None, None
        self.namespace = main_module("".join([text + "\n" for text in texts]), path)
        self.count_at = [0]
        for i, text in enumerate(texts):
            self.count_at.extend([i] * (text.count("\n") + 1))
        self.count = 0
        self.last = False
        self.snapshot()
        with Output() as self.output:
            previous = sys.gettrace()
            if deep:
                allow_frames(WATCHER)
            sys.settrace(self.called)
            try:
                for self.code in self.pieces(texts):
                    self.limit = Limit(self.called, [self.code]) if deep else None
                    # here, as ProgramRun does it: the trace's lines stand at the depth of the program's module, a frame above
                    # the call's, so that a program which asks how deep it is has another answer in its trace, as in Python
                    watched_exec(self.code, self.namespace)
            except BaseException as error:
                self.error = error
            finally:
                sys.settrace(previous)
        if partial and isinstance(self.error, MemoryError):
            self.namespace.clear()
            self.states = States(bounds, careful)
            self.error = self.error.with_traceback(None)
            return
        if isinstance(self.error, HOST):
            raise self.error
        if self.error is not None and self.count < len(texts):
            self.count += 1
            self.snapshot()

    def pieces(self, texts):
        """The code of one program, compiled as it runs: Python needs 4 kB a line while it compiles, 420 MB for 100,000 at once."""
        flags, row, constants = 0, 0, Constants()
        for first in range(0, len(texts), PIECE):
            piece = "\n".join(texts[first : first + PIECE])
            code = compile("\n" * row + piece + "\n", self.path, "exec", flags, dont_inherit=True)
            flags |= code.co_flags & FUTURES  # imports from __future__ in the first lines apply to all
            row += piece.count("\n") + 1
            self.last = first + PIECE >= len(texts)
            yield constants.share(code)

    def called(self, frame, event, argument):
        if frame.f_code is self.code:
            return self.line
        if self.limit is not None:
            self.limit.check(frame)
        return None

    def line(self, frame, event, argument):
        if event == "line":
            count = self.count_at[frame.f_lineno]
            if count != self.count:
                self.count = count
                self.snapshot()
        elif event == "return" and self.last and self.count < len(self.count_at):
            self.finished()
        return self.line

    def finished(self):
        self.count = self.count_at[-1] + 1
        self.snapshot()

    def snapshot(self):
        namespace, count = self.namespace, self.count
        for i, stack in enumerate(self.wanted.get(count, ())):
            pairs = [(name, namespace[name]) for name, _, _ in stack.variables if name in namespace]
            names, state, self.after[count, stack] = self.states.take(pairs, i > 0)
            if count > 0 and stack is self.lines[count - 1].stack:
                self.told[count - 1] = self.changes.after(names, state)


class ProgramRun:
    """Runs the program and compares it with the events of the unroller; `problem` is the first difference.

    With `frames` it has as many as Python gives a program, and so many more for the watch, which ends calls where Python would.
    Where it is not `watched`, nothing is compared.
    """

    def __init__(self, program, call, way, events, expected, lines, bounds, careful, frames=None, watched=True):
        self.program = program
        self.events = events
        self.expected = expected
        self.lines = lines
        self.bounds = bounds
        self.states = States(bounds, careful)
        self.at = 0
        self.frames = []
        self.codes = []
        self.seen = []
        self.current = []
        self.kept, self.firsts, self.module_ran = {}, {}, False
        self.instructions, self.places = instructions_of(program), Places(program.statements)
        self.still = False  # whether any code of the program has run since the last state
        self.problem = None
        self.error = None
        self.result = self.told = None
        namespace = main_module(program.source, program.path)
        code = program.code
        expression = program.constants.share(compile(call, "<call>", "eval", dont_inherit=True))
        with Output() as self.output:
            previous = sys.gettrace()
            if frames is not None:
                allow_frames(frames)
            self.limit = Limit(self.called, [code, expression], self.frames) if frames else None
            sys.settrace(self.called if watched else None)
            try:
                watched_exec(code, namespace)
                if watched and sys.gettrace() is not None:
                    sys.settrace(None)
                    self.ended()
                    sys.settrace(None if self.problem else self.called)
                self.module_ran = True
                value = watched_eval(expression, namespace)
            except BaseException as error:
                self.error = error
            self.unwatched = watched and sys.gettrace() is None
            sys.settrace(previous)
            if self.error is None:
                self.result = write_value(value, bounds)[0]
                self.told = self.tell(value, way)
        if isinstance(self.error, HOST):
            raise self.error
        if self.problem is None and self.unwatched:
            # Python itself stops watching where a call is too deep for the watcher
            self.problem = "the program ended its own observation, or ran into the recursion limit"
        if self.problem is None and watched:
            self.skip_optional()
            if self.at < len(self.events):
                self.differ("the program ended before the trace")

    def tell(self, value, way):
        try:
            return told(value, way)
        except BaseException as error:
            return type(error).__name__  # no text of a value

    def differ(self, problem):
        self.problem = problem
        sys.settrace(None)

    def skip_optional(self):
        events = self.events
        while self.at < len(events) and events[self.at][0] == "check" and events[self.at][2]:
            self.at += 1

    def called(self, frame, event, argument):
        code = self.instructions.get(identity(frame.f_code))
        self.still = False
        if self.limit is not None:
            self.limit.check(frame)
        if code is None or self.problem is not None:
            return None
        if code.code is self.program.code:
            self.enter(frame, code)
            return self.watch(frame, code)
        if not self.frames or (len(self.frames) > 1 and frame.f_back is not self.frames[-1]):
            return self.keep(frame)
        place = self.at
        self.skip_optional()
        if self.at < len(self.events):
            kind, number, _, count, stack = self.events[self.at]
            if kind == "enter" and number == code.definition:
                self.enter(frame, code)
                if self.agrees(count, stack):
                    self.at += 1
                    return self.watch(frame, code)
                self.leave()
        self.at = place
        return self.keep(frame)

    def keep(self, frame):
        """A call that stayed a call: by how often a function is called so, and why, the record says what its lines leave out."""
        code = frame.f_code
        if self.module_ran and code.co_flags & inspect.CO_OPTIMIZED and code.co_name[0] != "<":
            node = self.program.statements[self.instructions[identity(code)].definition or 0]
            if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
                why = "coroutine"
            elif code.co_flags & inspect.CO_GENERATOR:
                why = "generator"
            else:
                why = "decorator" if getattr(node, "decorator_list", ()) else "expression"
            # a resumed generator or coroutine is past its beginning
            first = self.firsts.setdefault(code, frame.f_lasti)
            if why in ("decorator", "expression") or frame.f_lasti == first:
                self.kept[code.co_name, why] = self.kept.get((code.co_name, why), 0) + 1
        return None

    def enter(self, frame, code):
        self.frames.append(frame)
        self.codes.append(code)
        self.seen.append(None)
        self.current.append(None)

    def watch(self, frame, code):
        if code.numbers is None:
            code.read(self.places)
        if code.is_shared:
            frame.f_trace = self.local  # since 3.12 it has to be there before instructions are asked for
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self.local

    def leave(self):
        for each in (self.frames, self.codes, self.seen, self.current):
            each.pop()

    def agrees(self, count, stack):
        pairs = self.pairs(stack)
        still, self.still = self.still, True
        return pairs is not None and self.states.take(pairs, still)[2] == self.expected.get((count, stack))

    def difference(self, count, stack):
        """": x is 3 in the trace and is 4 in the program", if both states are available."""
        told, pairs = expanded(self.lines[:count]), self.pairs(stack)
        if told is None or pairs is None:
            return ""
        own = {mapped for mapped, _, _ in stack.variables}
        traced = {name: read_json(text) for name, text in told.items() if name in own}
        seen = dict(zip([name for name, _ in pairs], map(read_json, write_texts(pairs, self.bounds)[0])))
        for name in {**traced, **seen}:
            if traced.get(name, MISSING) != seen.get(name, MISSING):
                return f": {name} {short(traced, name)} in the trace and {short(seen, name)} in the program"
        return ""

    def pairs(self, stack):
        variables = [self.frames[0].f_globals]
        variables.extend(frame.f_locals for frame in self.frames[1:])
        if stack.depth != len(variables):
            return None
        return [
            (mapped, variables[depth][name]) for mapped, depth, name in stack.variables if name in variables[depth]
        ]

    def local(self, frame, event, argument):
        self.still = False
        if self.problem is None and frame is self.frames[-1]:
            if event == "line" or event == "opcode":
                at = frame.f_lasti >> 1
                code = self.codes[-1]
                number = code.numbers[at]
                # not the further lines of a statement, nor its further instructions
                if number is not None and (number != self.current[-1] or at in code.starts):
                    self.current[-1] = number
                    self.line(number)
            elif event == "return" and len(self.frames) > 1:
                self.returned()
        return self.local

    def line(self, number):
        place = self.at
        events = self.events
        while place < len(events):
            kind, expected, optional, count, stack = events[place]
            if kind == "check" and expected == number:
                agrees = self.agrees(count, stack)
                if optional and not agrees:
                    break
                self.at = place + 1
                self.seen[-1] = number
                if not agrees:
                    place = f"before line {self.program.line(number)}"
                    self.differ(f"another state {place}{self.difference(count, stack)}")
                return
            if kind != "check" or not optional:
                break
            place += 1
        node = self.program.statements[number]
        if number == self.seen[-1] or isinstance(node, AGAIN) or not isinstance(node, ast.stmt):
            return
        if number in self.program.last_of_finally or number in self.program.inside:
            return
        self.differ(f"the program came to line {self.program.line(number)}, the trace did not")

    def ended(self):
        """At the end of the module."""
        self.skip_optional()
        if self.at < len(self.events) and self.events[self.at][0] == "end":
            _, _, _, count, stack = self.events[self.at]
            if not self.agrees(count, stack):
                self.differ(f"another state at the end of the program{self.difference(count, stack)}")
            self.at += 1
        elif self.problem is None:
            self.differ("the program ended, the trace did not")

    def skip_untold_return(self):
        """CPython 3.14 tells no line of a `return` after a loop that ran out and whose body ends in a break: the state is compared now."""
        if self.at < len(self.events) and self.events[self.at][0] == "check":
            _, expected, _, count, stack = self.events[self.at]
            if isinstance(self.program.statements[expected], ast.Return) and self.agrees(count, stack):
                self.at += 1

    def returned(self):
        self.skip_optional()
        self.skip_untold_return()
        if self.at < len(self.events) and self.events[self.at][0] == "exit":
            _, _, _, count, stack = self.events[self.at]
            if not self.agrees(count, stack):
                self.differ(f"another state at the end of a call{self.difference(count, stack)}")
            self.at += 1
            self.leave()
        else:
            self.differ("the program returned from a call, the trace did not")
