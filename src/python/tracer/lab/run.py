"""The trace while it is being made: its lines, executed one by one as they are written, and what was passed on the way.

A line is executed when it is added, by the interpreter itself, in one namespace: the next decision of the program is
read from the state that the trace has made so far.
"""

import builtins
import dis
import textwrap
import types
from operator import is_

from lab.probes import watched_eval, watched_exec
from lab.script import main_module

MISSING = object()
traceback_of = BaseException.__dict__["__traceback__"].__get__
HOST = (MemoryError,)
"""Exceptions that are the host's to report, unless the program itself handles them."""


FULL = "the program used more memory than it may"


class Stop(Exception):
    """The program cannot be followed further; the argument says why."""


class Uncaught(Exception):
    """The program ended with an exception, `error`."""


class Raised(Exception):
    """An exception of the program on its way to a handler; `holder` is its variable in the trace."""

    def __init__(self, error, holder):
        self.error = error
        self.holder = holder


class Line:
    """One statement of the trace: the `number` of the statement it comes from, the `stack` whose variables show.

    A definition without `defines` changed something, and stays in the trace where nothing uses its name.
    """

    __slots__ = ("text", "number", "helper", "stack", "role", "defines")

    def __init__(self, text, number, helper, stack, role="step", defines=()):
        self.text = text
        self.number = number
        self.helper = helper
        self.stack = stack
        self.role = role
        self.defines = defines


class Frame:
    """A call written out: `names` maps the names of its source to those of the trace."""

    __slots__ = ("scope", "names", "renamed", "result", "own", "texts", "cleanups")

    def __init__(self, scope, names, result, own):
        self.scope = scope
        self.names = names
        self.renamed = {name for name, new in names.items() if name != new}
        self.result = result
        self.own = own
        self.texts = {}
        self.cleanups = 0


class Stack:
    """Frames from the module inwards, and the variables that are theirs: (name, depth, name in the source)."""

    __slots__ = ("frames", "variables")

    def __init__(self, frames):
        self.frames = frames
        found = {}
        for depth, frame in enumerate(frames):
            for name in frame.scope.data:
                mapped = frame.own.get(name, name)
                # a parameter may carry the name of a global that no function reads
                found[mapped] = (mapped, depth, name)
        self.variables = list(found.values())


class Constants:
    """Equal constants of one file are one object in Python (`1000 is 1000`), so pieces that are compiled apart share theirs here."""

    def __init__(self):
        self.known = {}

    def share(self, code):
        """The code with the constants that are known already."""
        own = code.co_consts
        shared = tuple(map(self.one, own))
        return code if all(map(is_, own, shared)) else code.replace(co_consts=shared)

    def one(self, constant):
        if type(constant) is types.CodeType:
            return self.share(constant)
        return self.known.setdefault(constant_key(constant), constant)


def constant_key(constant):
    """Distinguishes equal constants: 1, 1.0 and True; 0.0 and -0.0."""
    kind = type(constant)
    if kind is tuple:
        return kind, tuple(map(constant_key, constant))
    if kind is frozenset:
        return kind, frozenset(map(constant_key, constant))
    return kind, repr(constant) if kind is float or kind is complex else constant


class Run:
    """Lines, events and the namespace. Events say what the program itself should show at the same points."""

    def __init__(self, maximum_steps, program):
        self.flags, self.asks_context = program.flags, program.asks_context
        self.handling = []
        self.path = program.path
        self.namespace = main_module(program.source, program.path)
        self.maximum_steps = maximum_steps
        self.lines = []
        self.events = []
        self.codes = {}
        self.constants = Constants()
        self.guards = []
        self.live = {}
        self.taken = set()
        self.ticks = 0
        self.steps = 0
        self.overflowed = False
        self.current = None
        self.stack = None

    def tick(self, number):
        """Statements that leave no line are counted as well, lest an endless loop of them runs on."""
        self.current = number
        self.ticks += 1
        if self.ticks > 50 * self.maximum_steps:
            raise Stop(f"the program is still running after {self.ticks - 1} statements", number)

    def check(self, number, optional=False):
        self.events.append(("check", number, optional, len(self.lines), self.stack))

    def append(self, text, number, helper=False, role="step", defines=(), stack=None):
        if role == "step":
            if self.steps == self.maximum_steps:
                raise Stop(f"the trace is longer than {self.maximum_steps} lines", number)
            self.steps += 1
        line = Line(self.while_handling(text), number, helper, stack or self.stack, role, defines)
        self.lines.append(line)
        return line

    def line(self, text, number, helper=False, role="step", defines=(), stack=None):
        """Adds a line, executes it and returns it."""
        line = self.append(text, number, helper, role, defines, stack)
        text = line.text
        code = self.compiled(text, "exec", number)
        try:
            watched_exec(code, self.namespace)
        except BaseException as error:
            self.caught(line, error)
        return line

    def compiled(self, text, mode, number):
        """The code of a text of the trace, on the source's line."""
        row = self.program.line(number) - 1 if number else 0
        code = self.codes.get((text, mode, row))
        if code is None:
            code = compile("\n" * row + text, self.path, mode, self.flags, dont_inherit=True)
            code = self.codes[text, mode, row] = self.constants.share(code)
        return code

    def while_handling(self, text):
        """Wraps code that may read the handled exception, or take it as its context, in a handler."""
        if not self.asked_while_handling():
            return text
        return f"try: raise {self.handling[-1].holder}\nexcept BaseException:{suite(text)}"

    def asked_while_handling(self):
        return self.asks_context and bool(self.handling)

    def evaluate(self, text, number):
        """The value of an expression that may not become a line; it does if it raises."""
        code = self.compiled(f"({text}\n)", "eval", number)
        try:
            if not self.asked_while_handling():
                return watched_eval(code, self.namespace)
            try:
                raise self.handling[-1].error
            except BaseException:
                return watched_eval(code, self.namespace)
        except BaseException as error:
            self.caught(self.append(text, number), error)

    def caught(self, line, error):
        """The line raised: written so that the trace continues where the program does, or as the last one."""
        line.defines = ()
        self.overflowed = self.overflowed or (isinstance(error, MemoryError) and not is_raised(error))
        if type(error) is NameError and self.is_local(error.name) and self.of_line(error):
            error = self.as_local(line, error)
        found = self.catcher(error)
        if found is None and isinstance(error, HOST):
            raise error
        if found is None:
            raise Uncaught(error)
        kind, named = found
        holder = self.fresh("caught") if named else None
        after = f" as raised: {holder} = raised" if named else ": pass"
        line.text = f"try:{suite(line.text)}\nexcept{' ' + kind if kind else ''}{after}"
        if named:
            self.namespace[holder] = error
        raise Raised(error, holder)

    def of_line(self, error):
        """Whether the exception comes from the line itself, not from a function that it calls."""
        step = traceback_of(error)
        while step.tb_next is not None:
            step = step.tb_next
        code = step.tb_frame.f_code
        return code.co_filename == self.path and code.co_name in ("<module>", "<expr>")

    def as_local(self, line, error):
        """A variable of a function that is not bound yet is not a global of the trace either, where it would be another error."""
        if self.catcher(UnboundLocalError()) in (("NameError", False), ("Exception", False), ("", False)):
            return error  # which of the two it is makes no difference
        words = f"cannot access local variable {self.local_name(error.name)!r} where it is not associated with a value"
        line.text = f"try:{suite(line.text)}\nexcept NameError: raise UnboundLocalError({words!r}) from None"
        made = UnboundLocalError(words)
        made.__suppress_context__ = True
        return made

    def catcher(self, error):
        """How the innermost place that stops the exception names its type, and whether it needs the exception."""
        for guard in reversed(self.guards):
            found = guard(error)
            if found is not None:
                return found
        return None

    def fresh(self, kind):
        """A helper name that nothing has used: caught0, caught1, ..."""
        count = self.live.get(kind, 0)
        while f"{kind}{count}" in self.taken:
            count += 1
        self.live[kind] = count + 1
        return f"{kind}{count}"

    def release(self, kind, before):
        self.live[kind] = before


def suite(text):
    """What follows the colon of a compound statement."""
    return f" {text}" if "\n" not in text else "\n" + textwrap.indent(text, "    ")


def is_raised(error):
    """Whether a raise statement of the program raised it, not the interpreter."""
    step = traceback_of(error)
    while step.tb_next is not None:
        step = step.tb_next
    return dis.opname[step.tb_frame.f_code.co_code[step.tb_lasti]] == "RAISE_VARARGS"


def builtin_name(error):
    """The exception's type as an except clause can name it anywhere."""
    for kind in type(error).__mro__:
        if getattr(builtins, kind.__name__, None) is kind:
            return kind.__name__
    return "BaseException"
