"""Folders of runs as data frames. Nothing is computed here: each value stands in a file that the program wrote."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any, Sequence

import pandas

from .program import StatelabError, call, path_of


class Run:
    """The folder of a run: `run.metrics.plot(x="step", y="loss")`."""

    def __init__(self, folder: Any):
        self.folder = path_of(folder)
        if not (self.folder / "config.json").exists():
            raise StatelabError(f"{self.folder}: expected the folder of a run (with a config.json)")

    def __fspath__(self) -> str:
        return str(self.folder)

    __str__ = __fspath__

    def __repr__(self) -> str:
        return f"Run({str(self.folder)!r})"

    @property
    def config(self) -> dict[str, Any]:
        return json.loads((self.folder / "config.json").read_text("utf-8"))

    @property
    def metrics(self) -> pandas.DataFrame:
        """A row a step: loss, accuracy, learningRate, ..."""
        return frame(self.folder / "metrics.jsonl")

    @property
    def tests(self) -> pandas.DataFrame:
        """A row a test: step, change, accuracy, accuracyByReveal, ..."""
        return frame(self.folder / "tested.jsonl")

    @property
    def answers(self) -> pandas.DataFrame:
        """A row an answer: test (its row in `tests`), program, reveal, correct."""
        rows = [
            {"test": test, "program": place, "reveal": reveal, "correct": hit == "1"}
            for test, record in self.tests.iterrows()
            for place, hits in zip(record["places"], record["hits"])
            for reveal, hit in enumerate(hits)
        ]
        return pandas.DataFrame(rows, columns=["test", "program", "reveal", "correct"])

    def weights(self, kind: str = "np") -> dict[str, Any]:
        """The weights by name as numpy arrays ("np") or torch tensors ("pt"); a matrix is [in, out]."""
        path = self.folder / "model.safetensors"
        if not path.exists():
            call("export", self)
        return tensors(path, kind)

    def activations(
        self, record: Sequence[str] = ("residual",), programs: int = 200, kind: str = "np", **flags: Any
    ) -> dict[str, Any]:
        """Tokens [N, T], states [N, T, V], reveals, and `layers.L.NAME` [N, T, ...]; `set={"commands": 48}` changes the task."""
        names = ",".join(record)
        written = call("export", self, to="activations", record=names, programs=programs, **flags)
        return tensors(Path(written["files"][0]), kind)

    def _repr_html_(self) -> str:
        config = self.config
        tests = self.tests[["step", "change", "programs", "accuracy"]] if len(self.tests) else self.tests
        title = f"{self.folder}: {config['model']['name']} on {config['task']['name']}, {len(self.metrics)} steps"
        return f"<p>{html.escape(title)}</p>{tests.to_html(index=False)}"


class Sweep:
    """The folder of a sweep, or any folder of runs."""

    def __init__(self, folder: Any):
        self.folder = path_of(folder)
        self.runs = [Run(path.parent) for path in sorted(self.folder.glob("**/config.json"))]
        if not self.runs:
            raise StatelabError(f"{self.folder}: expected a folder of runs")

    def __repr__(self) -> str:
        return f"Sweep({str(self.folder)!r}), {len(self.runs)} runs"

    @property
    def metrics(self) -> pandas.DataFrame:
        """A row a step of each run: run, the settings that differ, step, loss, ..."""
        return self._table("metrics.csv")

    @property
    def tests(self) -> pandas.DataFrame:
        return self._table("tested.csv")

    def _table(self, name: str) -> pandas.DataFrame:
        written = call("export", self.folder, to="csv")["files"]
        path = next((path for path in written if Path(path).name == name), None)
        return pandas.DataFrame() if path is None else pandas.read_csv(path)

    def _repr_html_(self) -> str:
        return self.tests.to_html(index=False)


def frame(path: Path) -> pandas.DataFrame:
    if not path.exists():
        return pandas.DataFrame()
    return pandas.DataFrame([json.loads(line) for line in path.read_text("utf-8").splitlines() if line])


def tensors(path: Path, kind: str) -> dict[str, Any]:
    if kind == "np":
        from safetensors.numpy import load_file
    elif kind == "pt":
        from safetensors.torch import load_file
    else:
        raise StatelabError(f'expected "np" or "pt", got {kind!r}')
    return load_file(str(path))
