"""The operation `found_calls`: the calls that test a program, from its doctests and asserts or those of a separate test file.

    {"operation": "found_calls", "source": "def f(n):\\n    '''\\n    >>> f(2)\\n    3\\n    '''\\n    return n + 1\\nassert f(3) == 4\\n"}

gives {"source": ..., "calls": [{"call": "f(2)", "expected": "3"}, {"call": "f(3)", "expected": "4"}], "left": []}.

A doctest that needs earlier lines, and a method of a unittest, become a function: `def case_1(): xs = [2]; return f(xs)`.
Output of a doctest that is printed or not a literal is compared as text: `repr(f(2))`. An example without output is not a test.
Asserts at the margin are removed from the source. `left` lists those that are not calls, and why.
"""

import ast
import builtins
import doctest
import re

from lab.scopes import DEFINITIONS

KNOWN = set(dir(builtins))


def handle(request):
    source = request["source"]
    try:
        tree = ast.parse(source)
        tests = ast.parse(request["tests"]) if request.get("tests") is not None else None
    except (SyntaxError, ValueError, RecursionError) as error:
        return {"source": source, "calls": [], "left": [{"text": "", "reason": f"the program cannot be read: {error}"}]}
    found = Found(tree, request.get("candidate"))
    if tests is None:
        found.doctests(tree)
        found.asserts(tree)
    else:
        found.asserts(tests)
        found.unittests(tests)
    return {"source": without_asserts(source, tree) + "".join(found.cases), "calls": found.calls, "left": found.left}


class Found:
    def __init__(self, tree, candidate):
        self.own = {node.name for node in tree.body if isinstance(node, DEFINITIONS)}
        self.bound = KNOWN | names_bound(tree)
        self.tree = tree
        self.candidate = candidate
        self.calls, self.left, self.cases = [], [], []

    def take(self, node, expected):
        text = ast.unparse(Renamed({"candidate": self.candidate}).visit(node) if self.candidate else node)
        self.calls.append({"call": text, "expected": expected})

    def calls_own(self, node):
        own = self.own | ({"candidate"} if self.candidate else set())
        return any(isinstance(each, ast.Name) and each.id in own for each in ast.walk(node))

    def missing(self, node):
        inside = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
        inside |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
        free = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - inside - self.bound
        return free - {"candidate"} if self.candidate else free

    def asserts(self, tree):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Assert) or not self.calls_own(node.test):
                continue
            test, expected = node.test, ""
            if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is)):
                test, expected = test.left, ast.unparse(test.comparators[0])
            elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test = test.operand
            if not any(isinstance(each, ast.Call) for each in ast.walk(test)):
                self.left.append({"text": ast.unparse(node), "reason": "the assert calls nothing"})
            elif self.missing(test):
                names = ", ".join(sorted(self.missing(test)))
                self.left.append({"text": ast.unparse(node), "reason": f"the assert needs {names}"})
            else:
                self.take(test, expected)

    def doctests(self, node):
        """The module, its functions and classes, and theirs, without functions inside of functions."""
        text = ast.get_docstring(node, clean=False)
        try:
            examples = doctest.DocTestParser().get_examples(text or "")
        except ValueError as error:
            self.left.append({"text": "", "reason": f"the doctest cannot be read: {error}"})
            examples = []
        before = []
        for example in examples:
            before = self.example(example, before)
        for each in node.body if isinstance(node, (ast.Module, ast.ClassDef)) else []:
            if isinstance(each, DEFINITIONS):
                self.doctests(each)

    def example(self, example, before):
        """The statements that the next example needs."""
        try:
            parsed = ast.parse(example.source).body
        except SyntaxError as error:
            self.left.append({"text": example.source, "reason": f"the doctest cannot be read: {error.msg}"})
            return before
        # the program that an example imports is the one that the case is part of
        parsed = [node for node in parsed if not (isinstance(node, ast.ImportFrom) and all(each.name in {"*", *self.own} for each in node.names))]
        if not parsed or example.options.get(doctest.SKIP):
            return before
        after = [*before, *parsed]
        if example.exc_msg is not None:
            name = ast.Name("Exception", ast.Load())
            return [*before, ast.Try(parsed, [ast.ExceptHandler(name, None, [ast.Pass()])], [], [])]
        if example.want == "" or not self.calls_own(ast.Module(after, [])):
            return after
        last, known = parsed[-1], ast.Module([*self.tree.body, *before], [])
        several = any(isinstance(node, ast.Expr) for node in parsed[:-1])
        if several or names_in(ast.Module(parsed, [])) & (PRINTERS | names_printing(known)):
            self.case([*before, *printed(parsed)], *as_text(PRINTED, example))
        elif isinstance(last, ast.Expr):
            value, expected = self.compared(last.value, example)
            needs = any(isinstance(each, ast.Name) and each.id not in self.bound for each in ast.walk(last))
            if len(parsed) > 1 or needs:
                self.case([*before, *parsed[:-1]], value, expected)
            elif self.calls_own(last) and isinstance(last.value, ast.Call):
                self.take(value, expected)
        return after

    def compared(self, value, example):
        """A value and what it should be: itself where what is shown makes it again, else its text."""
        want = example.want.strip()
        try:
            names = names_in(ast.parse(want, mode="eval"))
        except (SyntaxError, ValueError):
            names = {"..."}
        if "..." not in want and names <= self.bound - self.own:
            return value, want
        return as_text(ast.parse(f"repr({ast.unparse(value)})", mode="eval").body, example)

    def unittests(self, tests):
        for node in ast.walk(tests):
            if not isinstance(node, ast.ClassDef):
                continue
            methods = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
            prepared = methods["setUp"].body if "setUp" in methods else []
            for name, method in methods.items():
                if name.startswith("test"):
                    self.unittest(name, [*prepared, *method.body])

    def unittest(self, name, statements):
        """The case up to its last assertEqual, whose first argument is the result of the case."""
        body, case = [], None
        for node in statements:
            call = node.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
            asserting = isinstance(getattr(call, "func", None), ast.Attribute) and call.func.attr.startswith("assert")
            if not asserting:
                body.append(node)
            elif call.args:
                case = [*body], call.args[0]
                expected = call.args[1] if call.func.attr == "assertEqual" and len(call.args) > 1 else None
        if case is None:
            self.left.append({"text": name, "reason": "the test asserts nothing"})
            return
        statements, value = case
        value = Fields().visit(ast.parse(ast.unparse(value), mode="eval").body)
        self.case([Fields().visit(clone(node)) for node in statements], value, "" if expected is None else ast.unparse(expected))

    def case(self, statements, value, expected):
        name = f"case_{len(self.cases) + 1}"
        body = [*statements, ast.Return(value)]
        text = "\n".join("    " + line for node in body for line in ast.unparse(ast.fix_missing_locations(node)).split("\n"))
        self.cases.append(f"\n\ndef {name}():\n{text}\n")
        self.calls.append({"call": f"{name}()", "expected": expected})


class Renamed(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


class Fields(ast.NodeTransformer):
    """`self.box` of a test is a variable of its case."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.copy_location(ast.Name(f"self_{node.attr}", node.ctx), node)
        return node


def clone(node):
    return ast.parse(ast.unparse(ast.fix_missing_locations(node))).body[0]


PRINTERS = {"print", "stdout"}
PRINTED = ast.parse("printed.getvalue()", mode="eval").body


def names_in(tree):
    return {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} | {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}


def names_printing(tree):
    """Functions and classes that may print, themselves or through others."""
    uses = {node.name: names_in(node) for node in ast.walk(tree) if isinstance(node, DEFINITIONS)}
    found, before = {name for name in uses if uses[name] & PRINTERS}, None
    while before != found:
        before, found = found, found | {name for name in uses if uses[name] & found}
    return found


def printed(body):
    """The statements with their output in `printed`, a value as an interpreter shows it."""
    text = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as printed:\n    pass"
    importing, capturing = ast.parse(text).body
    capturing.body = []
    for node in body:
        shown = isinstance(node, ast.Expr) and ast.parse(f"value = {ast.unparse(node)}\nif value is not None: print(repr(value))")
        capturing.body += shown.body if shown else [node]
    return [importing, capturing]


def as_text(text, example):
    """An expression and what it should give, so that they are equal where doctest takes the text for the wanted one."""
    want = re.sub(r"(?m)^\s*<BLANKLINE>\s*?$", "", example.want)
    want = want if text is PRINTED else want.removesuffix("\n")
    source = ast.unparse(text)
    if example.options.get(doctest.NORMALIZE_WHITESPACE):
        source, want = f"' '.join({source}.split())", " ".join(want.split())
    if "..." in want:
        pattern = ".*".join(map(re.escape, want.split("...")))
        source, want = f"bool(__import__('re').fullmatch({pattern!r}, {source}, 16))", True  # 16: DOTALL
    return ast.parse(source, mode="eval").body, repr(want)


def names_bound(tree):
    found = set()
    for node in tree.body:
        for each in ast.walk(node) if not isinstance(node, DEFINITIONS) else [node]:
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                found.add(each.id)
            elif isinstance(each, ast.alias):
                found.add((each.asname or each.name).split(".")[0])
            elif isinstance(each, DEFINITIONS):
                found.add(each.name)
    return found


def without_asserts(source, tree):
    """Every other line keeps its number."""
    lines = source.split("\n")
    for node in tree.body:
        if isinstance(node, ast.Assert):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines)
