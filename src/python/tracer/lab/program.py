"""A parsed program: every statement has a number, and every instruction of its code has the number of its statement.

    for x in xs: total += x        statement 1 is the loop, statement 2 its body, both on source line 1

The code is compiled from the unchanged program, with its lines; the tree has numbers instead of lines.
"""

import __future__
import ast
from bisect import bisect_right

from lab.probes import watched_compile
from lab.run import Constants
from lab.scopes import children, walk
from lab.script import path_of
from lab.values import identity

FINALIZERS = set("__del__ weakref finalize getrefcount open gc tempfile NamedTemporaryFile".split())
PLAIN_MODULES = set(
    """__future__ abc bisect calendar cmath collections colorsys copy dataclasses datetime decimal enum fractions functools heapq
    itertools json keyword math numbers operator random re statistics string textwrap time types typing""".split()
)
CONTEXT = set("__context__ exc_info exception format_exc print_exc format_exception last_exc".split())


class Program:
    def __init__(self, source, path=None):
        self.source, self.path = source, path or path_of()
        self.tree = ast.parse(source, self.path)
        self.text = Text(source)
        self.flags = future_flags(self.tree)
        self.cleans_up = cleans_up(self.tree)
        self.asks_context = asks_context(self.tree)
        self.statements = [None]
        number(self.tree, self.statements, 0)
        # when leaving a `finally` Python may visit its last line, whether that ran or not
        self.last_of_finally = set()
        for node in self.statements:
            if isinstance(node, ast.Try) and node.finalbody:
                self.last_of_finally.update(each.number for each in lasts(node.finalbody))
        # statements inside of one that is copied as a whole
        self.inside = {
            each.number
            for node in self.statements
            if isinstance(node, ast.TryStar)
            for each in walk(node)
            if each is not node and hasattr(each, "number")
        }
        self.constants = Constants()
        self.code = self.constants.share(watched_compile(source, self.path, "exec", 0, True))

    def line(self, statement_number):
        node = self.statements[statement_number]
        return place_of(node.pattern if isinstance(node, ast.match_case) else node)[0]

    def at(self, statement_number):
        """For the end of a sentence: ", line 3"."""
        return "" if statement_number is None else f", line {self.line(statement_number)}"


class Instructions:
    """A code object: the number of the statement that defines its function, or None; after reading, `numbers` of the statements
    of its instructions, and `starts`, where another statement begins.

    `is_shared`: statements share a line, so that events of lines do not tell them apart.
    """

    __slots__ = ("code", "definition", "numbers", "starts", "is_shared")

    def __init__(self, code, definition):
        self.code, self.definition = code, definition
        self.numbers = None

    def read(self, places):
        self.numbers, self.starts, self.is_shared = [], set(), False
        on_row = {}
        last = before = number = None
        for at, (row, _, column, _) in enumerate(self.code.co_positions()):
            if (row, column) != before:
                before = row, column
                number = None if row is None or column is None else places.number(row, column)
            self.numbers.append(number)
            if number is not None and number != last:
                last = number
                self.starts.add(at)
            if number is not None and on_row.setdefault(row, number) != number:
                self.is_shared = True


class Places:
    """The statement at a line and column."""

    def __init__(self, statements):
        self.spans = sorted((*span_of(node), node.number) for node in statements if node is not None)

    def number(self, row, column):
        at = bisect_right(self.spans, ((row, column + 1),))
        while at > 0:
            at -= 1
            _, end, number = self.spans[at]
            if (row, column) < end:
                return number
        return None


def span_of(node):
    """Start of a statement, including decorators, and its end."""
    first, last = node, node
    if isinstance(node, ast.match_case):
        first, last = node.pattern, node.body[-1]
    elif getattr(node, "decorator_list", None):
        first = node.decorator_list[0]
    return place_of(first)[:2], place_of(last)[2:]


def instructions_of(program):
    """For the program's code and each within it, by identity: its Instructions, not read."""
    definitions = {
        (span_of(node)[0][0], node.name): node.number
        for node in program.statements
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    found = {}

    def visit(code):
        definition = definitions.get((code.co_firstlineno, code.co_name))
        found[identity(code)] = Instructions(code, definition)
        for constant in code.co_consts:
            if isinstance(constant, type(code)):
                visit(constant)

    visit(program.code)
    return found


def future_flags(tree):
    """`from __future__ import annotations` applies to every piece of the program, also if one is compiled separately."""
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    return flags


def number(node, statements, current):
    """Numbers statements in source order, and moves every position to the number of its statement, noting its place."""
    for child in children(node):
        inner = current
        if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            inner = child.number = len(statements)
            statements.append(child)
        if "lineno" in child._attributes:
            child.place = place_of(child)
            child.lineno = child.end_lineno = inner
            child.col_offset = child.end_col_offset = 0
        number(child, statements, inner)


def place_of(node):
    """Line and column of the source where the node begins, and where it ends."""
    found = getattr(node, "place", None)
    return found or (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def lasts(statements):
    """The statements that may stand last in a block, at any depth."""
    node = statements[-1]
    yield node
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(node, field, None)
        if inner and isinstance(inner, list):
            yield from lasts(inner)
    for clause in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        yield from lasts(clause.body)


class Text:
    """Source text of nodes, on one line."""

    def __init__(self, source):
        # as Python's own tokenizer counts lines: by newlines alone
        self.lines = [line.encode() for line in source.replace("\r\n", "\n").replace("\r", "\n").split("\n")]

    def of(self, node):
        first, start, last, end = place_of(node)
        return self.lines[first - 1][start:end].decode() if first == last else ast.unparse(node)

    def block(self, node):
        """The lines of a statement at the left margin, if they hold nothing else; the comments inside stay."""
        first, start, last, end = place_of(node)
        rest = self.lines[last - 1][end:].strip()
        if start > 0 or (rest and not rest.startswith(b"#")):
            return None
        inside = [*self.lines[first - 1 : last - 1], self.lines[last - 1][:end]]
        return b"\n".join(inside).decode()

    def span(self, node):
        """Start and end of the node, in bytes."""
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        first, start, last, end = place_of(node)
        return starts[first - 1] + start, starts[last - 1] + end


def runs_once(node):
    """The parts of an expression that are always evaluated exactly once: not `g()` in `a or g()`, nor the body of a lambda."""
    yield node
    match node:
        case ast.BoolOp():
            parts = node.values[:1]
        case ast.IfExp():
            parts = [node.test]
        case ast.Compare():
            parts = [node.left, node.comparators[0]]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            parts = [node.generators[0].iter]
        case ast.Lambda():
            parts = []
        case _:
            parts = ast.iter_child_nodes(node)
    for part in parts:
        yield from runs_once(part)


class Call:
    """The call that is traced: `f(1, 2)`, or an expression around one, `int(f(1, 2))`."""

    def __init__(self, text, functions, others=frozenset()):
        """`others` are all names of the program: a call that has one of them, and no function, is taken as an expression."""
        self.text = text.strip()
        tree = ast.parse(self.text, "<call>", mode="eval").body
        names = {node.id for node in walk(tree) if isinstance(node, ast.Name)}
        self.known = any(isinstance(node, ast.Call) for node in walk(tree)) and not names.isdisjoint(others)
        self.node = next(
            (
                node
                for node in walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions
            ),
            None,
        )
        if self.node is not None and not any(node is self.node for node in runs_once(tree)):
            self.node = None
        self.name = None if self.node is None else self.node.func.id
        self.lines = Text(self.text)

    def expression(self):
        """A new tree, whose text does not come from the program's source."""
        tree = ast.parse(self.text, "<call>", mode="eval").body
        for node in walk(tree):
            node.lineno = 0
        return tree

    def wrap(self, result):
        """The expression, with the call replaced by its result."""
        place = self.lines.span(self.node)
        whole = self.text.encode()
        before, after = whole[: place[0]].decode(), whole[place[1] :].decode()
        return f"{before}({result}){after}" if before or after else result

    def with_callee(self, function):
        """The call alone, of another function."""
        whole = self.text.encode()
        return function + whole[self.lines.span(self.node.func)[1] : self.lines.span(self.node)[1]].decode()

    def arguments_text(self):
        """The text between the parentheses, if it is on one line and can follow an equals sign."""
        node = self.node
        bare = any(isinstance(each, (ast.GeneratorExp, ast.NamedExpr)) for each in node.args)
        if node.lineno != node.end_lineno or bare:
            return None
        text = self.text.encode()[self.lines.span(node.func)[1] : self.lines.span(node)[1]].decode().strip()
        return text[1:-1].strip().rstrip(",").rstrip()


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
