"""The operation `faults`: every place of a program where a named fault can be put, and the program with it.

    {"source": "def f(n):\\n    return n + 1"}
    ->  {"faults": [{"fault": "wrong operator", "line": 2, "before": "n + 1", "after": "n - 1", "block": [2, 2], "source": ...}, ...],
         "blocks": [[2, 2]]}

One expression or statement is exchanged, as text: all else stays, to the byte. `block` are the first and last line of the basic block that
the fault is in: simple statements that run one after the other, or the head of a compound one.
"""

import ast

from lab.scopes import DEFINITIONS
from lab.syntax import syntax_problem, syntax_reason

COMPARISONS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in", ast.NotIn: "in"}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "%", ast.Mod: "//", ast.BitAnd: "|", ast.BitOr: "&"}
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in"} | {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|"
}
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
"""Operators whose operands cannot be exchanged."""


class Finder:
    def __init__(self, source, tree):
        self.lines = [line.encode() for line in source.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
        self.found, self.blocks = [], []
        for function in ast.walk(tree):
            if isinstance(function, DEFINITIONS[:2]):
                names = [each.arg for each in function.args.args]
                names += [each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
                self.body(function.body, list(dict.fromkeys(names)), False)

    def body(self, statements, names, in_loop):
        for block in blocks(statements):
            span = [block[0].lineno, head_end(block[-1])]
            self.blocks.append(span)
            for node in block:
                self.statement(node, span, names, in_loop)
        for node in statements:
            if isinstance(node, DEFINITIONS):
                continue  # a function inside has its own names
            inner_loop = in_loop or isinstance(node, (ast.For, ast.While, ast.AsyncFor))
            for field in ("body", "orelse", "finalbody"):
                if getattr(node, field, None):
                    self.body(getattr(node, field), names, inner_loop)
            for clause in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
                self.body(clause.body, names, inner_loop)

    def statement(self, node, span, names, in_loop):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and not in_loop:
            self.initial(node, span)
        updates = isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and reads(node.value, target.id) for target in node.targets)
        )
        if updates or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            self.exchange("missing update" if updates else "missing call", node, "pass", span)
        if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
            text = f"{self.text(node.target)} {OPERATORS[type(node.op)]}= {self.text(node.value)}"
            self.exchange("wrong operator", node, text, span)
        if isinstance(node, (ast.If, ast.While)):
            self.exchange("negated condition", node.test, f"not ({self.text(node.test)})", span)
        for part in own_expressions(node):
            for each in ast.walk(part):
                self.expression(each, span, names)

    def initial(self, node, span):
        value = node.value
        if isinstance(value, ast.Constant) and type(value.value) is int:
            self.exchange("wrong initial value", value, str(value.value + 1), span)
        elif isinstance(value, ast.Constant) and type(value.value) is bool:
            self.exchange("wrong initial value", value, str(not value.value), span)

    def expression(self, node, span, names):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
            left, right = self.inner(node.left), self.inner(node.comparators[0])
            self.exchange("wrong comparison", node, f"{left} {COMPARISONS[type(node.ops[0])]} {right}", span)
        elif isinstance(node, ast.BinOp):
            left, right = self.inner(node.left), self.inner(node.right)
            if type(node.op) in OPERATORS:
                self.exchange("wrong operator", node, f"{left} {OPERATORS[type(node.op)]} {right}", span)
            if isinstance(node.op, ORDERED) and left != right:
                self.exchange("swapped operands", node, f"{right} {SIGNS[type(node.op)]} {left}", span)
        elif isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            self.exchange("wrong connective", node, word.join(self.inner(value) for value in node.values), span)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
            last = node.args[min(1, len(node.args) - 1)]
            self.exchange("off by one", last, f"{self.inner(last)} + 1", span)
            self.exchange("off by one", last, f"{self.inner(last)} - 1", span)
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Slice, ast.Tuple)):
            if not (isinstance(node.slice, ast.Constant) and type(node.slice.value) is not int):
                self.exchange("wrong index", node.slice, f"{self.inner(node.slice)} + 1", span)
        elif isinstance(node, ast.Slice):
            for end in (node.lower, node.upper):
                if end is not None:
                    self.exchange("off by one", end, f"{self.inner(end)} + 1", span)
        elif isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 10**6:
            self.exchange("wrong constant", node, str(node.value + 1), span)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and len(names) > 1:
            self.exchange("wrong variable", node, names[(names.index(node.id) + 1) % len(names)], span)

    def inner(self, node):
        """An operand, in parentheses unless it needs none anywhere."""
        text = self.text(node)
        return text if isinstance(node, (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List)) else f"({text})"

    def text(self, node):
        first, last = node.lineno - 1, node.end_lineno - 1
        if first == last:
            return self.lines[first][node.col_offset : node.end_col_offset].decode()
        return ast.unparse(node)

    def exchange(self, fault, node, after, span):
        first, last = node.lineno - 1, node.end_lineno - 1
        if first != last:
            return  # lines stay lines
        line = self.lines[first]
        changed = line[: node.col_offset] + after.encode() + line[node.end_col_offset :]
        source = b"\n".join([*self.lines[:first], changed, *self.lines[first + 1 :]]).decode()
        try:
            compile(source, "<program>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return
        made = {"fault": fault, "line": node.lineno, "block": span, "before": self.text(node), "after": after, "source": source}
        if all(each["source"] != source for each in self.found):
            self.found.append(made)


def reads(value, name):
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))


def own_expressions(node):
    """Those of the statement itself, not of statements inside it."""
    for field, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.expr) and field not in ("decorator_list", "returns", "annotation"):
                yield each
            elif isinstance(each, ast.withitem):
                yield each.context_expr


def head_end(node):
    """The last line of a statement; of a compound one, of its head."""
    inner = [each.lineno for field in ("body", "cases") for each in getattr(node, field, ()) if hasattr(each, "lineno")]
    return max(node.lineno, min(inner) - 1) if inner else node.end_lineno


def blocks(statements):
    """Runs of simple statements; a compound one ends its block, and so does what leaves."""
    current = []
    for node in statements:
        if isinstance(node, DEFINITIONS):
            continue
        compound = hasattr(node, "body") or hasattr(node, "cases")
        if compound and not isinstance(node, (ast.If, ast.With)) and current:
            # a loop's head is executed again: it is a separate block
            yield current
            current = []
        current.append(node)
        if compound or isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            yield current
            current = []
    if current:
        yield current


def handle(request):
    source = request["source"]
    try:
        tree = ast.parse(source, "<program>")
    except SyntaxError as error:
        return {"faults": [], "blocks": [], "reason": syntax_reason(syntax_problem(error, source, ""))}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"faults": [], "blocks": [], "reason": f"the program cannot be read: {error}"}
    finder = Finder(source, tree)
    return {"faults": finder.found, "blocks": sorted(finder.blocks), "reason": None}
