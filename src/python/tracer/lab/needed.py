"""Which lines of a trace are needed: a definition that nothing calls is left out of it."""

from lab.values import identity


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
