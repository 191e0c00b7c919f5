"""What holds after numbered commands, and what the last question asks for: all lines are run, and every state is kept."""

import re


def state(text, names, params):
    held, past = {}, []
    answer = None
    for line in text.split("\n"):
        question = re.match(r"(at|ago) (\d+) (\w)", line)
        if question:
            kind, number, name = question.groups()
            answer = past[int(number) if kind == "at" else -1 - int(number)][name]
        elif ":" in line:
            exec(line.split(": ")[1], {}, held)
            past.append(dict(held))
        elif line:
            exec(line, {}, held)
            past = [dict(held)]
    return [answer if name == "answer" else held[name] for name in names]
