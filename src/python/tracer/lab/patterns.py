"""match: the case that was taken, as a match statement of that one case.

    match point:                  match point:
        case [0, y]: ...              case [x, y]: pass
        case [x, y]: ...

A pattern binds its names even if its guard then refuses, so such a case stays as well.
"""

import ast

from lab.nodes import walk
from lab.probes import watched_exec
from lab.scopes import rename


def match(unroller, node):
    before = unroller.live.get("subject", 0)
    subject = unroller.expressions.flatten(node.subject)
    if not isinstance(subject, ast.Name):
        name = unroller.fresh("subject")
        unroller.line(f"{name} = {unroller.render(subject)}", node.number)
        subject = ast.Name(name, ast.Load())
    text = unroller.render(subject)
    taken = None
    for case in node.cases:
        if matches(unroller, text, case.pattern):
            if binds(case.pattern):
                unroller.line(one_case(unroller, text, case.pattern), case.number)
            if case.guard is None or unroller.test(case.guard, case.number):
                taken = case
                break
    unroller.release("subject", before)
    return None if taken is None else unroller.block(taken.body)


def one_case(unroller, subject, pattern):
    return f"match {subject}:\n    case {unroller.render(pattern)}: pass"


def matches(unroller, subject, pattern):
    """Asked with the names of the pattern left out, so that a case that is not taken binds nothing."""
    bare = ast.unparse(without_names(pattern, unroller))
    value = "matched_"
    while value in unroller.taken:
        value += "_"
    code = f"match {subject}:\n    case {bare}: {value} = True\n    case _: {value} = False"
    if bare == "_":
        return True
    watched_exec(compile(code, unroller.path, "exec", unroller.flags, dont_inherit=True), unroller.namespace)
    return unroller.namespace.pop(value)


def without_names(pattern, unroller):
    pattern = rename(pattern, unroller.frame.names)
    return Nameless().visit(pattern)


class Nameless(ast.NodeTransformer):
    def visit_MatchAs(self, node):
        return ast.MatchAs() if node.pattern is None else self.visit(node.pattern)

    def visit_MatchStar(self, node):
        return ast.MatchStar()

    def visit_MatchMapping(self, node):
        self.generic_visit(node)
        node.rest = None
        return node


def binds(pattern):
    return any(
        getattr(part, "name", None) or getattr(part, "rest", None)
        for part in walk(pattern)
        if isinstance(part, (ast.MatchAs, ast.MatchStar, ast.MatchMapping))
    )
