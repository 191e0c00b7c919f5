"""The state of a row of group elements: sums of numbers, and letters moved by each permutation in turn."""

import re


def state(text, names, params):
    parts = []
    for i, factor in enumerate(params["group"].split(" x ")):
        words = [word.split(",")[i] for word in re.findall(r"\[(.*?)\]", text)]
        if factor[0] == "Z":
            parts.append(str(sum(map(int, words)) % int(factor[2:])))
            continue
        things = [str(i + 1) for i in range(int(factor[2:]))]
        for word in words:
            things = [things[int(place) - 1] for place in word]
        parts.append("".join(things))
    return ["[" + ",".join(parts) + "]"]
