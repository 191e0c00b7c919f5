"""The state of a renamed task: by the list that stands first the text is the task's own, and its witness is asked; a session is run."""

import contextlib
import io
import os
import re
import runpy


def state(text, names, params):
    if params["of"] == "repl":
        held = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(text, held)
        return [held[name] for name in names]
    meaning = dict(re.findall(r"(w\d+)=(.+?);", text))
    words = re.findall(r"<s>|w\d+", re.sub(r"w\d+=.+?;", "", text))
    plain = "".join(meaning.get(word, word) for word in words)
    beside = os.path.join(os.path.dirname(__file__), params["of"] + ".witness.test-helper.py")
    values = runpy.run_path(beside)["state"](plain, names, params)
    return [next(name for name, word in meaning.items() if word == str(value)) for value in values]
