"""Properties of a program's text that decide how it is unrolled: whether it could notice lifetimes of objects or the handled exception."""

import ast

from lab.nodes import walk

FINALIZERS = set("__del__ weakref finalize getrefcount open gc tempfile NamedTemporaryFile".split())
PLAIN_MODULES = set(
    """__future__ abc bisect calendar cmath collections colorsys copy dataclasses datetime decimal enum fractions functools heapq
    itertools json keyword math numbers operator random re statistics string textwrap time types typing""".split()
)
CONTEXT = set("__context__ exc_info exception format_exc print_exc format_exception last_exc".split())


def scan(tree):
    """Plain data, for all runs of the program."""
    names, attributes, imported = set(), set(), set()
    for node in walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Import):
            imported.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module.split(".")[0])
    # whether the program could notice that an object lives longer
    return {"finalizers": not FINALIZERS.isdisjoint(names | attributes) or not imported <= PLAIN_MODULES or cleans_up(tree)}


def cleans_up(tree):
    """Whether a generator or coroutine does something where it is closed, or a class where an object of it ends."""
    for node in walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) or (isinstance(node, ast.FunctionDef) and node.name == "__del__"):
            return True
        if isinstance(node, ast.FunctionDef):
            inside = list(walk(node))
            yields = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in inside)
            if yields and any(isinstance(each, (ast.Try, ast.With, getattr(ast, "TryStar", ast.Try))) for each in inside):
                return True
    return False


def asks_context(tree):
    """Whether the program may see which exception is being handled, other than by the name that it gives it."""
    nodes = list(walk(tree))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return not CONTEXT.isdisjoint(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})
