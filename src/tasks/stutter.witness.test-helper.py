"""The state of a task with pauses: the pauses are taken out, and the task's own witness is asked; a session is run, `pass` and all."""

import contextlib
import io
import os
import runpy


def state(text, names, params):
    if params["of"] == "repl":
        held = {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(text, held)
        return [held[name] for name in names]
    beside = os.path.join(os.path.dirname(__file__), params["of"] + ".witness.test-helper.py")
    return runpy.run_path(beside)["state"](text.replace("-", ""), names, params)
