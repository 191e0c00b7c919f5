"""What people do from a notebook: each is one command of the program."""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Mapping

from . import program as cli
from .program import StatelabError, arguments, outcome, path_of
from .runs import Run


@contextlib.contextmanager
def file_of(content: Any, name: str) -> Iterator[str]:
    """A path as it is; a text with a line end, a configuration or messages as a file of this name."""
    if isinstance(content, (Mapping, list)):
        content, name = json.dumps(content) + "\n", str(Path(name).with_suffix(".json"))
    if not isinstance(content, str) or "\n" not in content:
        yield str(path_of(content))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(content, "utf-8")
        yield str(path)


def train(config: Any, out: Any, **flags: Any) -> Run:
    """Trains by a file or a dictionary, with a progress bar: `train("run.yaml", "runs/x", set={"train.steps": 60})`."""
    with file_of(config, "run.yaml") as path:
        cli.watched(arguments("train", [path], {"out": path_of(out), **flags}), str(out))
    return Run(out)


def evaluate(run: Any, **flags: Any) -> dict[str, Any]:
    return cli.call("evaluate", run, **flags)


def generate(task: str, n: int = 10, **flags: Any) -> list[dict[str, Any]]:
    """`n` examples with their text, reveals and true states."""
    return cli.call("generate", task, count=n, **flags)["examples"]


@dataclass
class Trace:
    """The lines of a call that ran, proven or with a reason."""

    record: dict[str, Any]

    @property
    def code(self) -> str:
        return self.record["code"]

    @property
    def proven(self) -> bool:
        return self.record["proven"]

    @property
    def result(self) -> Any:
        return self.record["result"]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Each with its `code`, its `line` in the source, and the `state` after it."""
        return self.record["lines"]

    def __str__(self) -> str:
        end = "verified" if self.proven else f"not verified: {self.record['reason']}"
        return f"{self.code}# {end}"

    __repr__ = __str__


def trace(source: Any, call: str | None = None, **flags: Any) -> Trace:
    """The straight-line program of a call: `trace("def f(n):\\n    return n + 1\\n", "f(2)")`."""
    with file_of(source, "program.py") as path:
        try:
            return Trace(cli.call("trace", path, call=call, **flags))
        except StatelabError as error:
            if not isinstance(error.document, dict) or "lines" not in error.document:
                raise
            return Trace(error.document)  # refused, with the lines before that


def debug(source: Any, call: str | None = None, commands: str = "end", **flags: Any) -> dict[str, Any]:
    """The replies to the debugger's commands: `debug(source, "f(2)", "break 3; continue; whence total")`."""
    with file_of(source, "program.py") as path:
        return cli.call("debug", path, call=call, commands=commands, **flags)


def first_error(transcript: Any, source: Any = None, call: str | None = None, **flags: Any) -> dict[str, Any]:
    """Where a transcript loses the state of its program."""
    with file_of(transcript, "transcript.md") as path, file_of(source or "", "program.py") as known:
        given = known if source is not None else None
        try:
            return cli.call("diagnose", path, program=given, call=call, **flags)
        except StatelabError as error:
            if error.code != 1 or error.document is None:
                raise
            return error.document  # exit code 1: it loses the state


@dataclass
class Server:
    url: str
    model: str


@contextlib.contextmanager
def serve(run: Any, **flags: Any) -> Iterator[Server]:
    """The OpenAI protocol on a free port of this machine, until the block ends."""
    words = [*cli.program(), *arguments("serve", [run], {"port": 0, **flags}), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stderr is not None and running.stdout is not None
        line = running.stdout.readline()
        if not line:
            outcome(running.wait() or 1, "", running.stderr.read())
        told = json.loads(line)
        try:
            yield Server(told["url"], told["model"])
        finally:
            running.terminate()
            running.communicate()
