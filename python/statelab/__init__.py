"""Statelab from Python. Everything is a file that the program wrote, or a document that it printed by --json."""

from .commands import Server, Trace, debug, evaluate, first_error, generate, serve, trace, train
from .program import StatelabError, call
from .runs import Run, Sweep

__all__ = [
    *("Run", "Sweep", "Server", "StatelabError", "Trace", "call", "debug", "evaluate"),
    *("first_error", "generate", "serve", "trace", "train"),
]


def load_ipython_extension(shell):
    """`%load_ext statelab`: then `%%trace f(2)` above a cell traces the call of the cell's function."""
    shell.register_magic_function(lambda line, cell: trace(cell, line.strip() or None), "cell", "trace")
