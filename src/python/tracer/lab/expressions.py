"""Expressions that call functions of the program: the calls are written out before, in the order of evaluation.

    x = a[0] + g(a)        value0 = a[0]
                           g1_xs = a
                           ...
                           x = value0 + g1_return

An operand before such a call is stored in a helper variable if the call could change it.
"""

import ast
import types

from lab.run import MISSING
from lab.scopes import COMPREHENSIONS, children, clone
from lab.values import identity

# their methods are always the same
STEADY = set(map(identity, (list, dict, set, str, tuple, types.ModuleType)))
OPAQUE = (ast.Lambda, *COMPREHENSIONS)


class Expressions:
    def __init__(self, unroller):
        self.unroller = unroller

    def has_own(self, node):
        if not self.unroller.calls.definitions:
            return False
        if not getattr(node, "lineno", 0):
            calls = calls_in(node)
        else:
            calls = getattr(node, "calls", None)
            if calls is None:
                calls = node.calls = calls_in(node)
        return any(self.unroller.calls.own(call) is not None for call in calls)

    def statement(self, node):
        """The statement with its own calls written out before it."""
        if not self.has_own(node):
            return node
        made = clone(node)
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
            made.target = clone(node.target)
            places = list(slots_of(made.target))
            *parts, made.value = self.in_order([*[holder[key] for holder, key in places], node.value])
            for (holder, key), part in zip(places, parts):
                holder[key] = part
            return made
        for field in ("value", "exc", "cause", "test", "msg"):
            part = getattr(node, field, None)
            if part is not None:
                setattr(made, field, self.flatten(part))
        if any(self.has_own(target) for target in getattr(node, "targets", ())):
            if isinstance(node, ast.Assign):
                made.value = self.keep(made.value)
            made.targets = [self.flatten(target) for target in node.targets]
        return made

    def flatten(self, node):
        """An expression of the same value without own calls; what it needs is written before."""
        if not self.has_own(node):
            return node
        if isinstance(node, ast.Call):
            own = self.unroller.calls.own(node)
            if own is not None:
                return self.unroller.calls.inline(own)
        if isinstance(node, ast.IfExp):
            chosen = node.body if self.unroller.test(node.test, self.unroller.current) else node.orelse
            return self.flatten(chosen)
        if isinstance(node, ast.BoolOp):
            return self.flatten_logic(node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self.flatten_chain(node)
        made = clone(node)
        slots = list(slots_of(made))
        values = self.in_order([holder[key] for holder, key in slots])
        for (holder, key), value in zip(slots, values):
            holder[key] = value
        # `a.m().n()` is a method of a variable only now that `a.m()` is written out
        own = self.unroller.calls.own(made)
        return made if own is None else self.unroller.calls.inline(own)

    def in_order(self, nodes):
        """Flattens expressions that are evaluated one after another."""
        last = max((i for i, node in enumerate(nodes) if self.has_own(node)), default=-1)
        done = []
        for i, node in enumerate(nodes):
            if i <= last:
                node = self.flatten(node)
                if i < last:
                    node = self.keep(node)
            done.append(node)
        return done

    def flatten_logic(self, node):
        """`a and g(b)`: each operand by itself, up to the one that decides."""
        stop = isinstance(node.op, ast.Or)
        for operand in node.values[:-1]:
            value = self.keep(self.flatten(operand))
            if self.truth(value) is stop:
                return value
        return self.flatten(node.values[-1])

    def flatten_chain(self, node):
        """`a < g(b) < c`: each comparison by itself, up to one that fails."""
        left = node.left
        for i, (op, right) in enumerate(zip(node.ops, node.comparators), 1):
            left, right = self.in_order([left, right])
            left, right = self.keep(left), self.keep(right)
            result = ast.Compare(left, [op], [right])
            if i == len(node.ops):
                return result
            result = self.hold(result)
            if not self.truth(result):
                return result
            left = right

    def truth(self, node):
        return bool(self.unroller.evaluate(self.unroller.render(node), self.unroller.current))

    def keep(self, node):
        return node if self.stable(node) else self.hold(node)

    def hold(self, node):
        """A helper variable with the value of the expression."""
        unroller = self.unroller
        if isinstance(node, ast.Name) and getattr(node, "held", False):
            return node
        name = unroller.fresh("value")
        unroller.line(f"{name} = {unroller.render(node)}", unroller.current, helper=True)
        held = ast.Name(name, ast.Load())
        held.held = True
        return held

    def stable(self, node):
        """Whether no call can change what the expression gives before it is used."""
        if isinstance(node, (ast.Constant, ast.Lambda)):
            return True
        if isinstance(node, ast.Name):
            return node.id not in self.unroller.outer.rebound
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = self.unroller.frame.names
            owner = self.unroller.namespace.get(names.get(node.value.id, node.value.id), MISSING)
            return self.stable(node.value) and identity(type(owner)) in STEADY
        return False


def calls_in(node):
    """Calls of functions and methods that are evaluated with the expression itself."""
    found = []
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, OPAQUE):
            if not isinstance(inner, ast.Lambda):
                waiting.append(inner.generators[0].iter)
            continue
        if type(inner) is ast.Call and type(inner.func) in (ast.Name, ast.Attribute):
            found.append(inner)
        waiting.extend(children(inner))
    return found


def slots_of(node):
    """The parts of an expression in the order of their evaluation; lists are copied first."""
    if isinstance(node, ast.Dict):
        node.keys, node.values = list(node.keys), list(node.values)
        for i, key in enumerate(node.keys):
            if key is not None:
                yield node.keys, i
            yield node.values, i
        return
    if isinstance(node, ast.NamedExpr):
        yield node.__dict__, "value"
        return
    if isinstance(node, COMPREHENSIONS):
        node.generators = [clone(node.generators[0]), *node.generators[1:]]
        yield node.generators[0].__dict__, "iter"
        return
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            made = list(value)
            setattr(node, field, made)
            for i, item in enumerate(made):
                if isinstance(item, (ast.Starred, ast.keyword, ast.FormattedValue)):
                    made[i] = clone(item)
                    yield from slots_of(made[i])
                elif isinstance(item, ast.expr):
                    yield made, i
        elif isinstance(value, ast.Slice):
            inner = clone(value)
            setattr(node, field, inner)
            yield from slots_of(inner)
        elif isinstance(value, ast.expr):
            yield node.__dict__, field
