"""One trace on its way through its three runs: what was asked, what there is of the record, and what is tried next.

The runs share nothing but the request that the host carries from one to the next (`lab.entry.Next`).
"""

import ast
import sys

from lab.definitions import FRAME_READERS
from lab.entry import Next
from lab.program import Call
from lab.scopes import DEFINITIONS, walk
from lab.script import inputs_of
from lab.values import Bounds, dictionary_of

FAILED = "the proof failed"
WORD_BITS = 64 if sys.maxsize > 2**32 else 32
KEEP = {"keep_conditions": True, "keep_definitions": True}
ATTEMPTS = ({}, KEEP, {**KEEP, "calls": "keep"})
"""If a proof fails, an omitted statement had an effect: retries with all statements, then with all calls."""


class Options:
    """Options of a request, with defaults, and the bounds of every trace."""

    maximum_depth = 150
    # limit on all differences together; states after it are compared, but not part of the record
    maximum_state_characters = 8_000_000

    def __init__(self, given, attempt=0):
        self.maximum_steps = given.get("maximumSteps", 100_000)
        self.anonymous = given.get("anonymous", False)
        self.calls = given.get("calls", "inline")
        self.keep_conditions = self.keep_definitions = False
        self.__dict__.update(ATTEMPTS[attempt])
        self.bounds = Bounds()


class Job:
    """`attempt` counts the proofs that failed; `first` is the record of the first of them."""

    def __init__(self, request):
        self.source, self.call = request["source"], request["call"]
        self.file = request.get("file")
        self.inputs = inputs_of(request)
        self.given = request.get("options") or {}
        self.attempt = request.get("attempt", 0)
        self.deep = request.get("deep", False)  # whether the program needs all frames that Python has for it
        self.first = request.get("first")
        self.options = Options(self.given, self.attempt)
        self.record = request.get("record")
        self.scanned = request.get("scanned")

    def next(self, operation, **more):
        return Next(operation, **self.asked(), record=self.record, scanned=self.scanned, first=self.first, **more)

    def asked(self):
        return {"source": self.source, "call": self.call, "file": self.file, "options": self.given, "attempt": self.attempt, "deep": self.deep, **self.inputs}

    def tell(self, watch):
        """Adds what the run read of its environment to the record."""
        told = self.record.get("environment", {}) | watch.finish()
        if told:
            self.record["environment"] = told

    def again(self, **more):
        """Another trace, from the beginning."""
        return Next("trace", **{**self.asked(), **more}, record=None)

    def failed(self, problem):
        self.record["reason"] = "; ".join(filter(None, [f"{FAILED}: {problem}", self.record["reason"]]))

    def settled(self, program):
        """The record, or another attempt, from the beginning, where its proof failed."""
        record = self.record
        if record["proven"]:
            return record
        if (record["reason"] or "").startswith(FAILED) and self.attempt + 1 < len(ATTEMPTS):
            return self.again(attempt=self.attempt + 1, first=self.first or record)
        record = self.first or record
        record["result"] = record["literal"] = None
        while record["lines"] and record["lines"][-1]["role"] == "assert":
            record["lines"].pop()
        record["code"] = "".join(line["code"] + "\n" for line in record["lines"])
        functions = {node.name for node in program.tree.body if isinstance(node, DEFINITIONS[:2])}
        record.pop("compared", None)
        record["reason"] = frame_reader(program, Call(self.call, functions).name) or record["reason"]
        return record


def frame_reader(program, name):
    """Where the function reads its own locals(): a trace has them together with those of all other calls."""
    for node in program.tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            for part in walk(node):
                if isinstance(part, ast.Name) and part.id in FRAME_READERS:
                    return f"{part.id} reads the variables of its own call, line {program.line(part.lineno)}"
    return None


def python():
    version = ".".join(map(str, sys.version_info[:3]))
    return {"version": version, "wordBits": WORD_BITS, "hashSeed": 0}


def message_of(error):
    """The first argument if it is a text: str() of an exception may be the program's own code."""
    arguments = BaseException.args.__get__(error)
    return arguments[0] if arguments and type(arguments[0]) is str else ""


def kind_of(error):
    """Identifies the type of an exception across runs of the same program."""
    if error is None:
        return None
    kind = type(error)
    return [str(dictionary_of(kind).get("__module__", "builtins")), type.__dict__["__qualname__"].__get__(kind)]
