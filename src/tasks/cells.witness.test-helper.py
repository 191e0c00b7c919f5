"""The next cell of an agent: how far its inspections have come is the number of outcomes so far, times the step."""

import re


def state(text, names, params):
    budget = int(re.match(r"budget (\d+) ", text).group(1))
    told = re.search(r"runtime (\w+)", text).group(1)
    habit = params["habit"]
    if habit == "fitting":
        habit = {"persistent": "reuse", "stateless": "rederive"}[told]
    step = int(re.search(r"step (\d+) ", text).group(1))
    done = text.count(" ok\n") * step
    again = "paste " if habit == "rederive" else ""
    if done >= budget:
        return [again + "take ;"]
    to = min(budget, done + step)
    if habit == "rederive":
        return [f"paste list show {done} {to} ;"]
    return [("list fresh " if done == 0 else "") + f"inspect {done} {to} ;"]
