"""Compound statements: try, raise and with, the way of an exception through the program; and match.

    try:                              try: n = int(s)
        n = int(s)                    except ValueError as raised: caught0 = raised
    except ValueError as error:       error = caught0
        n = 0                         n = 0
                                      del error

    match point:                      match point:
        case [0, y]: ...                  case [x, y]: pass
        case [x, y]: ...

A match statement stays with the case that was taken. A pattern binds its names even if its guard then refuses, so such a case stays too.
"""

import ast
import textwrap

from lab.probes import watched_eval, watched_exec
from lab.run import Raised, Stop, Uncaught, builtin_name
from lab.scopes import rename, walk
from lab.values import bases_of


def try_(unroller, node):
    if not node.finalbody:
        return handled(unroller, node)
    frame = unroller.frame
    unroller.guards.append(needs_exception)
    frame.cleanups += 1
    flow = pending = None
    try:
        flow = handled(unroller, node)
    except Raised as raised:
        pending = raised
    unroller.guards.pop()
    frame.cleanups -= 1
    before = unroller.final, unroller.value
    after = unroller.block(node.finalbody)
    if after is not None:
        return after
    unroller.final, unroller.value = before
    if pending is not None:
        again(unroller, pending, node.number)
    return flow


def again(unroller, raised, number):
    """Continues with an exception; without a handler it is raised again, as the last line."""
    if unroller.catcher(raised.error) is None:
        unroller.line(f"raise {raised.holder}", number, helper=True)
    raise raised


def handled(unroller, node):
    depth = len(unroller.guards)
    unroller.guards.append(guard_of(unroller, node, unroller.frame))
    raised = None
    try:
        flow = unroller.block(node.body)
    except Raised as caught:
        raised = caught
    del unroller.guards[depth:]
    if raised is not None:  # out of the clause: what is handled here is not what the program handles
        handler = handler_for(unroller, node, unroller.frame, raised.error)
        if handler is None:
            raise raised
        return handle(unroller, handler, raised)
    return flow if flow is not None else unroller.block(node.orelse)


def guard_of(unroller, node, frame):
    def guard(error):
        handler = handler_for(unroller, node, frame, error)
        if handler is None:
            return None
        named = handler.name is not None or unroller.program.asks_context or any(
            isinstance(part, ast.Raise) and part.exc is None for part in walk(handler)
        )
        return "" if handler.type is None else text_in(unroller, handler.type, frame), named

    return guard


def text_in(unroller, node, frame):
    current, unroller.frame = unroller.frame, frame
    try:
        # since 3.14 a tuple of types may stand without parentheses, but not before `as`
        return unroller.render(node) if not isinstance(node, ast.Tuple) else ast.unparse(rename(node, frame.names))
    finally:
        unroller.frame = current


def handler_for(unroller, node, frame, error):
    for handler in node.handlers:
        if handler.type is None:
            return handler
        kinds = watched_eval(text_in(unroller, handler.type, frame), unroller.namespace)
        if caught_by(type(error), kinds):
            return handler
    return None


def caught_by(kind, handled):
    """Matches like an except clause: by inherited classes, ignoring metaclasses."""
    if type(handled) is tuple:
        return any(caught_by(kind, each) for each in handled)
    return any(base is handled for base in bases_of(kind))


def handle(unroller, handler, raised):
    name = None if handler.name is None else unroller.frame.names.get(handler.name, handler.name)
    if name is not None:
        unroller.line(f"{name} = {raised.holder}", handler.number)
    unroller.handling.append(raised)
    depth = len(unroller.guards)
    if name is not None:
        unroller.frame.cleanups += 1
    flow = None
    try:
        flow = unroller.block(handler.body)
    except Uncaught:
        if name is not None and name in unroller.namespace:
            last = unroller.lines[-1]  # on its way out the exception unbinds the name
            last.text = f"try:\n{textwrap.indent(last.text, '    ')}\nfinally: del {name}"
        raise
    finally:
        unroller.handling.pop()
        if name is not None:
            unroller.frame.cleanups -= 1
    del unroller.guards[depth:]
    if name is not None and name in unroller.namespace:
        unroller.line(f"del {name}", handler.number, helper=True)
    return flow


def raise_(unroller, node):
    if node.exc is not None:
        return unroller.simple(node)
    if not unroller.handling:
        raise Stop("raise without an exception", node.number)
    again(unroller, unroller.handling[-1], node.number)


def with_(unroller, node, item=0):
    if item == len(node.items):
        return unroller.block(node.body)
    number, context = node.number, node.items[item]
    manager = unroller.fresh("manager")
    unroller.line(f"{manager} = {unroller.render(unroller.expressions.flatten(context.context_expr))}", number)
    target = "" if context.optional_vars is None else f"{unroller.render(context.optional_vars)} = "
    unroller.line(f"{target}{manager}.__enter__()", number, helper=not target)
    unroller.guards.append(needs_exception)
    unroller.frame.cleanups += 1
    depth = len(unroller.guards)
    flow = pending = None
    try:
        flow = with_(unroller, node, item + 1)
    except Raised as raised:
        pending = raised
    del unroller.guards[depth - 1 :]
    unroller.frame.cleanups -= 1
    if pending is None:
        unroller.check(number, True)
        unroller.line(f"{manager}.__exit__(None, None, None)", number, helper=True)
        return flow
    holder = pending.holder
    text = f"{manager}.__exit__(type({holder}), {holder}, {holder}.__traceback__)"
    swallowed = unroller.evaluate(text, number)
    unroller.append(text, number, helper=True)
    if not swallowed:
        again(unroller, pending, number)
    return None


def needs_exception(error):
    return builtin_name(error), True


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
