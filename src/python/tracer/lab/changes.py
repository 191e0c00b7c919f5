"""The states after the lines of a trace, each as the difference from the one before; at intervals a whole state.

    [("n", "2")]                   {"names": ["n"], "set": {"n": "2"}}
    [("n", "2"), ("xs", "[]")]     {"names": ["n", "xs"], "set": {"xs": "[]"}}
    n = 3                          {"set": {"n": "3"}}
    a long text                    {"set": {"xs": [4012, 1, "7, 8]"]}}      from character 4,012 on replaces 1 by these

`names` is written if the list differs from the one before. A line after the limit on all differences has `"state": null`.
"""

WHOLE = 1_000
"""Number of lines between two states that are written as a whole."""
SHORT = 48
"""A text that is not longer is written as it is."""


class Changes:
    def __init__(self, characters):
        self.left = characters
        self.count = 0
        self.names, self.texts = None, {}

    def after(self, names, texts):
        """The record of the state after a line."""
        whole = self.count % WHOLE == 0
        self.count += 1
        if self.left < 0:
            return {"state": None}
        before = {} if whole else self.texts
        written = {}
        for name, text in zip(names, texts):
            known = before.get(name)
            if known is text or known == text:
                continue
            if known is None or len(text) <= SHORT:
                written[name] = text
                self.left -= len(text)
            else:
                written[name] = change = splice(known, text)
                self.left -= len(change[2])
        self.texts = dict(zip(names, texts))
        if not whole and names == self.names:
            return {"set": written}
        self.names = names
        return {"names": list(names), "set": written}


def splice(before, text):
    """[start, removed, inserted]: the shortest piece of `before` whose exchange gives `text`."""
    most = min(len(before), len(text))
    start = alike(most, lambda low, high: before.startswith(text[low:high], low))
    old, new = len(before), len(text)
    end = alike(most - start, lambda low, high: before[old - high : old - low] == text[new - high : new - low])
    return [start, old - start - end, text[start : new - end]]


def alike(most, same):
    """How many characters agree: by halves, each compared in C."""
    low = 0
    while low < most:
        middle = (low + most + 1) // 2
        if same(low, middle):
            low = middle
        else:
            most = middle - 1
    return low


def expanded(lines):
    """{name: text} after the last of the lines, which are records; None where a bound left it out."""
    names, texts = [], {}
    for line in lines:
        if "set" not in line:
            return None
        names = line.get("names", names)
        for name, text in line["set"].items():
            if type(text) is list:
                start, removed, inserted = text
                before = texts[name]
                text = before[:start] + inserted + before[start + removed :]
            texts[name] = text
    return {name: texts[name] for name in names}
