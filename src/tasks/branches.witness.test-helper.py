"""What a function returns and which of its conditions held: it is run, and its lines are watched."""

import sys


def state(text, names, params):
    held = {}
    exec(text, held)
    lines = []

    def watch(frame, event, argument):
        if frame.f_code is not held["f"].__code__:
            return None
        if event == "line":
            lines.append(frame.f_lineno)
        return watch

    sys.settrace(watch)
    try:
        result = held["f"]()
    finally:
        sys.settrace(None)
    rows = text.split("\n")
    taken = []
    for number, row in enumerate(rows, 1):
        if row.strip().startswith("if "):
            behind = lines[lines.index(number) + 1]
            taken.append("yes" if behind == number + 1 else "no")
    return [{"result": result, "held": ", ".join(taken)}[name] for name in names]
