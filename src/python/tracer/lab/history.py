"""The operation `history`: the line trace of lab.lines, with all variables at each event, for a debugger that goes both ways.

    {"operation": "history", "source": "def f(n):\\n    n += 1\\n    return n", "call": "f(2)"}

    call    f  line 1  activation 1  {"1.n": 2}
    line    f  line 2  activation 1  {"1.n": 2}
    line    f  line 3  activation 1  {"1.n": 3}
    return  f  line 3  activation 1  {"1.n": 3}  3

A variable's key is the number of the activation that it belongs to and its name; 0 is the module. All of an event stand in one
state, so that names which share an object show the same label, across calls too. States are written as what changed (lab.changes).
"""

import ast
import sys
from sys import setprofile

from lab.changes import Changes
from lab.lines import GENERATOR, LineTrace, handle as handle_lines
from lab.program import lasts, scan
from lab.scopes import COMPREHENSIONS, DEFINITIONS, scope_of
from lab.states import States
from lab.values import bases_of

MODULE = 0


class Ended(BaseException):
    """Raised in a program that runs for more events than are recorded. Where the program catches it, it is raised again at the next event."""

    def __init__(self, watch):
        self.watch = watch

    def __del__(self):
        self.watch()


class History(LineTrace):
    def __init__(self, namespace, code, call, names, options, tree):
        self.states = States(options.bounds, scan(tree)["finalizers"])
        self.changes = Changes(options.maximum_state_characters)
        self.stack = []  # (frame, activation) from the outside in; the module's stays
        self.count = MODULE
        self.firsts = {}
        self.suspended = {}
        self.module = None
        self.module_names = module_names(tree)
        self.began = 0
        self.script = call.co_consts == (None,) and not call.co_names
        self.over = False
        try:
            LineTrace.__init__(self, namespace, code, call, names, options, tree)
        finally:
            self.over = True
            setprofile(None)
        self.cut = self.cut or self.states.cut or self.changes.left < 0

    def release(self):
        self.stack, self.suspended, self.module = [], {}, None
        self.states = States(self.bounds)

    def calling(self):
        """Marks the start of the call: later events are not the module's."""
        self.began = 0 if self.script else len(self.events)

    def reason(self):
        if self.full:
            return f"more than {self.maximum} events"
        reason = LineTrace.reason(self)
        if reason is None and not self.watched:
            return "the program ended its own observation, or ran into the recursion limit"
        return reason

    def add_event(self, event, frame, **more):
        if len(self.events) >= self.maximum:
            self.full = True
            setprofile(self.watch)  # the program may keep the exception that it catches
            raise Ended(self.watch)
        code = frame.f_code
        generator = bool(code.co_flags & GENERATOR)
        if event == "call":
            self.enter(frame, code, generator)
        else:
            self.leave(frame, code, generator)
        activation = self.stack[-1][1]
        place = {"event": event, "line": frame.f_lineno, "function": code.co_name, "activation": activation}
        if generator and event == "call":
            place["generator"] = True
        names, texts, _ = self.states.take(self.variables())
        self.events.append({**place, "printed": self.output.count(), **self.changes.after(names, texts), **more})
        if event == "return":
            self.stack.pop()
            if generator:
                self.suspended[id(frame)] = code, activation

    def watch(self, *_, get=sys.gettrace, set=sys.settrace, frame_of=sys._getframe):
        """Python ends a trace whose function raises: begins it again, in all frames."""
        if self.over or get() is not None:
            return
        frame = frame_of(1)
        while frame is not None:
            if frame.f_code.co_filename == self.file:
                frame.f_trace = self.local
            frame = frame.f_back
        set(self.called)

    def enter(self, frame, code, generator):
        """A resumed generator keeps its activation."""
        activation = None
        if generator:
            first = self.firsts.setdefault(code, frame.f_lasti)
            kept = self.suspended.pop(id(frame), None)
            if kept is not None and kept[0] is code and frame.f_lasti > first:
                activation = kept[1]
        if code.co_name == "<module>":
            activation, self.module = MODULE, frame.f_globals
        elif activation is None:
            self.count += 1
            activation = self.count
        self.stack.append((frame, activation))

    def leave(self, frame, code, generator):
        """Calls inside of the frame have ended without an event."""
        if not any(each is frame for each, _ in self.stack):
            self.enter(frame, code, generator)
        while self.stack[-1][0] is not frame:
            self.stack.pop()

    def variables(self):
        module = self.module
        pairs = [(f"{MODULE}.{name}", module[name]) for name in self.module_names if name in module and is_data(module[name])]
        for frame, activation in self.stack:
            if activation != MODULE:
                code, known = frame.f_code, frame.f_locals
                names = self.names[code.co_firstlineno, code.co_name]
                pairs += [(f"{activation}.{name}", known[name]) for name in names if name in known]
                for name in code.co_freevars:
                    if name not in names and name in known and is_data(known[name]):
                        pairs.append((f"{activation}.{name}", known[name]))
        return pairs


def is_data(value):
    """No function, class or module."""
    kind = type(value)
    return kind.__name__ not in ("function", "module", "builtin_function_or_method") and type not in bases_of(kind)


def module_names(tree):
    """Names of the module, including those that functions declare global."""
    scope = scope_of(tree)
    found = dict.fromkeys(scope.data)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found.update(dict.fromkeys(name for name in node.names if name not in scope.defined))
    return list(found)


def statements(tree):
    """For each statement: its lines (those of the head for a compound one), the names it assigns, reads and calls."""
    found = []
    on_the_way_out = set()  # lines that Python may visit without running them, as an exception leaves a `finally`
    for node in ast.walk(tree):
        if isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))) and node.finalbody:
            on_the_way_out.update(each.lineno for each in lasts(node.finalbody))
        if not isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)) or isinstance(node, DEFINITIONS):
            continue
        first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        last = node.pattern.end_lineno if isinstance(node, ast.match_case) else node.end_lineno
        inner = [each for field in ("body", "orelse", "finalbody", "handlers", "cases") for each in getattr(node, field, ())]
        starts = [each.pattern.lineno if isinstance(each, ast.match_case) else each.lineno for each in inner]
        if starts:
            last = max(first, min(starts) - 1)
        entry = {"line": first, "end": last, "assigns": assigned(node), "reads": [], "calls": []}
        for part in own_parts(node):
            read(part, entry["reads"], entry["calls"])
        if isinstance(node, (ast.For, ast.AsyncFor)):
            entry["body"] = [node.body[0].lineno, node.body[-1].end_lineno]
        found.append(entry)
    for entry in found:
        if entry["line"] in on_the_way_out:
            entry["unsure"] = True
    return sorted(found, key=lambda entry: (entry["line"], -entry["end"]))


def own_parts(node):
    """The expressions of a statement, without the statements inside it."""
    for field, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, (ast.expr, ast.withitem, ast.pattern)):
                yield each


def read(node, reads, calls):
    """Names that are read, in order, each once; functions that are called are apart."""
    if isinstance(node, ast.Lambda) or isinstance(node, COMPREHENSIONS):
        inside = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        if isinstance(node, ast.Lambda):
            inside = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        found, called = [], []
        for child in ast.iter_child_nodes(node):
            read(child, found, called)
        reads += [name for name in found if name not in inside and name not in reads]
        calls += [name for name in called if name not in calls]
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id not in calls:
            calls.append(node.func.id)
        for child in [*node.args, *node.keywords]:
            read(child, reads, calls)
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store) and node.id not in reads:
        reads.append(node.id)
    for child in ast.iter_child_nodes(node):
        read(child, reads, calls)


def assigned(node):
    """[name, names its value is made of] for each name that the statement surely binds where it does not raise."""
    pairs = []
    if isinstance(node, ast.Assign):
        for target in node.targets:
            bind(target, node.value, pairs)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        bind(node.target, node.value, pairs)
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        bind(node.target, node.value, pairs, [node.target.id])
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        bind(node.target, node.iter, pairs)
    return pairs


def bind(target, value, pairs, also=()):
    if isinstance(target, ast.Name):
        names, calls = list(also), []
        read(value, names, calls)
        pairs.append([target.id, names])
    elif isinstance(target, ast.Starred):
        bind(target.value, value, pairs)
    elif isinstance(target, (ast.Tuple, ast.List)):
        parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
        apart = len(parts) == len(target.elts) and not any(isinstance(each, ast.Starred) for each in [*target.elts, *parts])
        for i, each in enumerate(target.elts):
            bind(each, parts[i] if apart else value, pairs)


def handle(request):
    trees, began = [], []

    def run(namespace, code, expression, names, options, tree):
        history = History(namespace, code, expression, names, options, tree)
        trees.append(tree)
        began.append(history.began)
        return history

    record = handle_lines(request, run)
    made = {"began": began[0], "statements": statements(trees[0])} if trees else {"began": 0, "statements": []}
    return record | made
