"""Splits a program into the code to run and the expected values, which are never in the program's process.

    code          def f(n): return n * n\\nassert f(3) == 9
    run           def f(n): return n * n               then the value of f(3)
    withheld      the digest of 9

The asserts at the end of the code are split off, and the expression. `A == B` with one side without names is
compared outside, where the names of `MAKERS` are Python's own; for any other test the program's process itself reports
whether it is true. If a test cannot be split off, nothing is run.
"""

import ast

from lab.digest import digest
from lab.entry import Next

NO_LITERAL = (ValueError, TypeError, ArithmeticError)
"""Raised by `value_of` for any other expression, and for one without a value: float(10**400)."""
MAKERS = {"set": set, "frozenset": frozenset, "float": float, "dict": dict, "list": list, "tuple": tuple}


class Together(Exception):
    """A test cannot be parted from the program."""


def handle(request):
    # a mark at the beginning of a file, which Python reads over
    code, expression = request["code"].removeprefix("\ufeff"), request.get("expression")
    tests = []
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        pass  # the run says what is wrong with it
    except (RecursionError, MemoryError):
        return untested()
    else:
        try:
            code, tests = parted(code, tree.body)
        except (Together, SyntaxError, ValueError, RecursionError, MemoryError):
            return untested()
    if expression is not None:
        tests += of_expression(expression.strip(), request.get("typed", False))
    asked = [test["ask"] for test in tests]
    return Next("execute", code=code, asked=asked, withheld=[test["withheld"] for test in tests])


def untested():
    return {"outcome": "untested", "message": "the test at its end cannot be parted from the program"}


def of_expression(expression, typed):
    words = "the expression is not true"
    try:
        tree = ast.parse(expression, mode="eval")
        return tests_of(tree.body, Text(expression), words, typed)
    except (Together, SyntaxError, ValueError, RecursionError):
        return [{"ask": {"truth": expression}, "withheld": {"message": words} | ({"holds": False} if typed else {})}]


def parted(code, body):
    """The code before the asserts at its end, and those as tests."""
    first = len(body)
    while first > 0 and type(body[first - 1]) is ast.Assert:
        first -= 1
    if first == len(body):
        return code, []
    text = Text(code)
    # a statement in their place: a line that continues with the first of them, such as `x = 1; \\`, stays one
    before = text.before(body[first]) + "pass"
    *kept, last = ast.parse(before).body
    if type(last) is not ast.Pass or [*map(place_of, kept)] != [*map(place_of, body[:first])]:
        raise Together
    tests = []
    for statement in body[first:]:
        tests += tests_of(statement.test, text, message_of(statement.msg), False)
    return before, tests


def place_of(node):
    return type(node), node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def message_of(node):
    """The words of an assert; of words that are computed their text."""
    if node is None:
        return ""
    return node.value if type(node) is ast.Constant and type(node.value) is str else ast.unparse(node)


def tests_of(node, text, message, typed):
    if type(node) is ast.BoolOp and type(node.op) is ast.And:
        return [test for value in node.values for test in tests_of(value, text, message, typed)]
    value, expected = compared(node)
    holds = decided(node, typed)
    if holds is not None:
        ask, withheld = {"truth": "True"}, {"holds": holds}
    elif value is not None:
        ask, withheld = {"value": text.of(value), "typed": typed}, {"digest": digest(expected, typed)}
    elif typed:
        raise ValueError("types are compared with those of a literal")
    else:
        ask, withheld = {"truth": text.of(node)}, {}
    return [{"ask": ask, "withheld": withheld | {"message": message}}]


def compared(node):
    """The side of an equality that is asked for, and the value of the other; or None twice."""
    if type(node) is ast.Compare and type(node.ops[0]) is ast.Eq and len(node.ops) == 1:
        for asked, given in ((node.left, node.comparators[0]), (node.comparators[0], node.left)):
            try:
                expected = value_of(given)
            except NO_LITERAL:
                continue
            return asked, expected
    return None, None


def decided(node, typed):
    """Whether a test without names is true; None if that requires running it."""
    try:
        if type(node) is ast.Compare and len(node.ops) == 1:
            left, right = value_of(node.left), value_of(node.comparators[0])
            if typed:
                return digest(left, typed) is not None and digest(left, typed) == digest(right, typed)
            compare = COMPARISONS.get(type(node.ops[0]))
            return None if compare is None else bool(compare(left, right))
        return bool(value_of(node))
    except NO_LITERAL:
        return None


COMPARISONS = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def value_of(node):
    """The value of a literal, or of set(), float("inf") and the like; else it raises one of NO_LITERAL."""
    if type(node) is ast.Call and type(node.func) is ast.Name and node.func.id in MAKERS:
        if node.keywords or len(node.args) > 1:
            raise ValueError
        return MAKERS[node.func.id](*map(value_of, node.args))
    if type(node) in (ast.List, ast.Tuple, ast.Set):
        made = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
        return made([value_of(item) for item in node.elts])
    if type(node) is ast.Dict:
        if None in node.keys:
            raise ValueError
        return dict(zip(map(value_of, node.keys), map(value_of, node.values)))
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub and type(node.operand) is ast.Call:
        return -value_of(node.operand)
    return ast.literal_eval(node)


class Text:
    """A source, and the text of a node in it. Columns are counted in bytes."""

    def __init__(self, source):
        self.lines = source.encode().splitlines(keepends=True)

    def before(self, node):
        lines = [*self.lines[: node.lineno - 1], self.lines[node.lineno - 1][: node.col_offset]]
        return b"".join(lines).decode()

    def of(self, node):
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        text = f"({b''.join(lines).decode()}\n)"
        if ast.dump(ast.parse(text, mode="eval").body) != ast.dump(node):
            raise Together
        return text
