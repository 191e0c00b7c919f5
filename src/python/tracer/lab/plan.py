"""The plain data of a trace that is passed from the run that made it to those that prove it; no objects of the first run, and no
definition that nothing calls.

    lines     [text, number, helper, role, stack]      number: the line of the source that it comes from
    stacks    [depth, [[name, depth, name in the source], ...]]
    events    [kind, number, optional, lines before it, stack]
"""

from lab.run import Line
from lab.values import identity


class Stack:
    """The variables of the calls under way, as `lab.run.Stack`, without the calls."""

    __slots__ = ("depth", "variables")

    def __init__(self, depth, variables):
        self.depth, self.variables = depth, variables


def write_plan(program, lines, events):
    index, stacks = {}, []

    def place(stack):
        known = index.get(identity(stack))
        if known is None:
            known = index[identity(stack)] = len(stacks)
            stacks.append([len(stack.frames), [list(variable) for variable in stack.variables]])
        return known

    return {
        "lines": [[line.text, line.number and program.line(line.number), line.helper, line.role, place(line.stack)] for line in lines],
        "events": [[*event[:4], place(event[4])] for event in events],
        "stacks": stacks,
    }


class Plan:
    def __init__(self, written):
        self.stacks = [Stack(depth, variables) for depth, variables in written["stacks"]]
        self.lines = [
            Line(text, number, helper, self.stacks[stack], role)
            for text, number, helper, role, stack in written["lines"]
        ]
        self.events = [(*event[:4], self.stacks[event[4]]) for event in written["events"]]

    def wanted(self):
        """After how many lines the variables of which stacks are needed."""
        wanted = {}
        for i, line in enumerate(self.lines):
            wanted.setdefault(i + 1, {})[line.stack] = None
        for _, _, _, count, stack in self.events:
            wanted.setdefault(count, {})[stack] = None
        return wanted

    def write_states(self, after):
        index = {identity(stack): i for i, stack in enumerate(self.stacks)}
        return [[count, index[identity(stack)], text] for (count, stack), text in after.items()]

    def read_states(self, written):
        return {(count, self.stacks[stack]): text for count, stack, text in written}


def needed_lines(unroller):
    """The lines without definitions that nothing uses, and for a count of all lines that of those left."""
    if not any(line.role == "definition" for line in unroller.lines):
        return unroller.lines, range(len(unroller.lines) + 1)
    used = set()
    names_of = {}
    waiting = []
    definitions = {}
    for line in unroller.lines:
        if line.role == "definition" and line.defines and not unroller.options.keep_definitions:
            for name in line.defines:
                definitions.setdefault(name, []).append(line)
        else:
            waiting.append(line)
    kept = set()
    while waiting:
        line = waiting.pop()
        if identity(line) in kept:
            continue
        kept.add(identity(line))
        names = names_of.get(line.text)
        if names is None:
            names = names_of[line.text] = names_used(unroller.compiled(line.text, "exec", line.number))
        for name in names - used:
            used.add(name)
            waiting.extend(definitions.get(name, ()))
    lines, count_of = [], [0]
    for line in unroller.lines:
        if identity(line) in kept:
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
