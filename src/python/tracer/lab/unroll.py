"""Unrolling: follows a program statement by statement and writes down what ran as straight-line code.

    def f(n):                     n = 2
        for i in range(n):        forloop0 = iter((range(n)))
            n += i                i = next(forloop0)
        return n                  n += i
                                  i = next(forloop0)
    f(2)                          n += i
                                  assert (n) == 3

Statements that assign are copied. A condition is evaluated to decide the way and left out, unless it changes something.
Calls of the program's own functions are written out with renamed variables (lab.calls).
"""

import ast
import types

from lab import compound
from lab.calls import Calls, as_expression, enter_call
from lab.definitions import define, define_class
from lab.effects import Effects
from lab.expressions import Expressions
from lab.results import NoLiteral, text_told, told, way_of
from lab.run import Frame, Run, Stack, Stop, Uncaught
from lab.scopes import Globals, names_in, rename, scope_of, walk
from lab.values import identity

BREAK, CONTINUE, RETURN = "break", "continue", "return"
HELPERS = ("iter", "next", "type", "tuple", "list", "dict", "len")


class Unroller(Run):
    def __init__(self, program, options):
        super().__init__(options.maximum_steps, program)
        self.program = program
        self.options = options
        self.effects = Effects(program.tree)
        self.outer = Globals(program.tree)
        self.taken = names_in(program.tree)
        self.reserved = self.outer.read | set(HELPERS)
        self.calls = Calls(self)
        self.expressions = Expressions(self)
        scope = scope_of(program.tree)
        own = {name: self.unused(f"module_{name}") if name in HELPERS else name for name in scope.bound}
        self.frame = self.module = Frame(scope, own, None, own)
        self.stack = Stack((self.frame,))
        self.entry = None
        self.final = self.value = self.way = self.told = None

    def unused(self, name):
        while name in self.taken:
            name += "_"
        return name

    def is_local(self, name):
        return self.frame is not self.module and name in self.frame.own.values()

    def local_name(self, name):
        return next(own for own, mapped in self.frame.own.items() if mapped == name)

    # text of nodes

    def render(self, node):
        """The node as a line of the trace: its own text where no name in it is renamed."""
        if not getattr(node, "lineno", 0):
            return ast.unparse(rename(node, self.frame.names))
        texts = self.frame.texts
        text = texts.get(identity(node))
        if text is None:
            renamed = self.frame.renamed
            if renamed and not renamed.isdisjoint(names_in(node)):
                text = ast.unparse(rename(node, self.frame.names))
            else:
                text = self.program.text.of(node)
                if isinstance(node, ast.NamedExpr):
                    text = f"({text})"  # its own parentheses are not part of the node
            texts[identity(node)] = text
        return text

    def lookup(self, name):
        return self.namespace[self.frame.names.get(name, name)]

    # statements

    def block(self, statements):
        for node in statements:
            self.tick(node.number)
            kind = type(node)
            follow = STATEMENTS.get(kind)
            if follow is None:
                raise Stop(f"{kind.__name__} cannot be unrolled", node.number)
            if kind not in SILENT:
                self.check(node.number, kind in UNSEEN or is_constant(node))
            flow = follow(self, node)
            if flow is not None:
                return flow
        return None

    def simple(self, node):
        before = self.live.get("value", 0)
        self.line(self.render(self.expressions.statement(node)), node.number)
        self.release("value", before)

    def annotated(self, node):
        if node.value is not None:
            assign = ast.Assign([node.target], node.value, lineno=0)
            self.line(self.render(self.expressions.statement(assign)), node.number)

    def expression(self, node):
        if isinstance(node.value, ast.Constant):
            return
        called = self.calls.own(node.value)
        if called is not None:
            self.calls.inline(called, used=False)
            return
        before = self.live.get("value", 0)
        written = self.expressions.statement(node)
        # what is left of `a.m().n()` once both are written out is the name of a result
        if written is node or not isinstance(written.value, ast.Name):
            self.line(self.render(written), node.number)
        self.release("value", before)

    def nothing(self, node):
        return None

    def leave_loop(self, node):
        return BREAK if isinstance(node, ast.Break) else CONTINUE

    def return_(self, node):
        before = self.live.get("value", 0)
        value = ast.Constant(None) if node.value is None else self.expressions.flatten(node.value)
        text = self.render(value)
        if self.frame is not self.entry:
            self.line(f"{self.frame.result} = {text}", node.number)
        elif self.frame.cleanups or self.asked_while_handling():
            self.final = self.fresh("return")
            self.line(f"{self.final} = {text}", node.number)
        else:
            self.final = text
        self.final_number = node.number
        if self.frame is self.entry:
            self.value = self.evaluate(self.final, node.number)
        self.release("value", before)
        return RETURN

    def if_(self, node):
        return self.block(node.body if self.test(node.test, node.number) else node.orelse)

    def while_(self, node):
        while self.test(node.test, node.number):
            flow = self.block(node.body)
            if flow is BREAK:
                return None
            if flow is RETURN:
                return flow
            self.tick(node.number)
            self.check(node.number, isinstance(node.test, ast.Constant))
        return self.block(node.orelse)

    def for_(self, node):
        before = self.live.get("forloop", 0)
        ends_quietly = self.effects.free(node.iter, self.lookup) and not self.options.keep_conditions
        values = self.live.get("value", 0)
        text = self.render(self.expressions.flatten(node.iter))
        self.release("value", values)
        name = self.fresh("forloop")
        self.line(f"{name} = iter(({text}))", node.number)
        closes = self.program.cleans_up and type(self.namespace[name]) is types.GeneratorType
        self.frame.cleanups += closes
        try:
            flow, ended = self.iterate(node, name, ends_quietly)
            if closes and not ended:
                self.line(f"del {name}", node.number, helper=True)  # a loop that is left closes its generator
            return flow
        finally:
            self.frame.cleanups -= closes
            self.release("forloop", before)

    def iterate(self, node, name, ends_quietly):
        """Unrolls the loop: its control flow at the end, and whether its iterator was exhausted."""
        iterator = self.namespace[name]
        text = f"{self.render(node.target)} = next({name})"
        while True:
            try:
                value = next(iterator)
            except StopIteration:
                break
            except BaseException as error:
                self.caught(self.append(text, node.number), error)
            # the line takes the value that decided that there is one more turn
            self.namespace[name] = iter((value,))
            try:
                self.line(text, node.number)
            finally:
                self.namespace[name] = iterator
            flow = self.block(node.body)
            if flow is BREAK:
                return None, False
            if flow is RETURN:
                return flow, False
            self.tick(node.number)
            self.check(node.number)
        if not ends_quietly:
            self.append(f"next({name}, None)", node.number, helper=True)
        return self.block(node.orelse), True

    # conditions

    def test(self, node, number):
        """Which way the condition decides; what of it has an effect is written as an expression statement."""
        before = self.live.get("value", 0)
        truth, kept = self.decide(self.expressions.flatten(node), number)
        if kept is not None:
            self.append(self.render(kept), number)
        self.release("value", before)
        return truth

    def decide(self, node, number):
        """The truth of a condition, and of its text the parts that ran, if any of them has an effect."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            truth, kept = self.decide(node.operand, number)
            return not truth, None if kept is None else ast.UnaryOp(ast.Not(), kept)
        if isinstance(node, ast.BoolOp):
            stop = isinstance(node.op, ast.Or)
            ran, effect = [], False
            for operand in node.values:
                truth, kept = self.decide(operand, number)
                ran.append(operand if kept is None else kept)
                effect = effect or kept is not None
                if truth is stop:
                    break
            if not effect:
                return truth, None
            return truth, ran[0] if len(ran) == 1 else ast.BoolOp(node.op, ran)
        quiet = not self.options.keep_conditions and self.effects.free(node, self.lookup)
        value = self.evaluate(self.render(node), number)
        try:
            truth = bool(value)
        except BaseException as error:
            self.caught(self.append(f"bool({self.render(node)})", number), error)
        return truth, None if quiet or isinstance(node, ast.Constant) else node

    # definitions

    def function(self, node):
        define(self, node)

    def class_(self, node):
        define_class(self, node)

    def whole(self, node):
        """A statement that stays as it is, with all that is in it."""
        if any(isinstance(each, (ast.Return, ast.Break, ast.Continue)) for each in walk(node)):
            raise Stop(f"{type(node).__name__} with a way out of it cannot be unrolled", node.number)
        self.line(ast.unparse(rename(node, self.frame.names)), node.number)

    # the call

    def follow(self, call):
        """Runs the program and the call. Afterwards `lines` are its trace and `value` its result."""
        self.docstring()
        self.block(self.program.tree.body)
        self.events.append(("end", None, False, len(self.lines), self.stack))
        entry, wrap = enter_call(self, call)
        if entry is None:
            self.expect(*as_expression(self, call))
            return
        try:
            flow = self.block(entry.body)
        except Uncaught:
            self.events.append(("exit", None, False, len(self.lines), self.stack))
            raise
        if flow is not RETURN:
            self.final, self.final_number = "None", None
        text = wrap(self.final)
        if text != self.final:
            try:
                self.value = self.evaluate(text, self.final_number)
            except Uncaught:  # of `list(f(x))`, after the end of f
                self.events.append(("exit", None, False, len(self.lines), self.stack))
                raise
        self.expect(text, self.final_number)
        self.events.append(("exit", None, False, len(self.lines), self.stack))

    def docstring(self):
        """The module's, for what asks for it."""
        if ast.get_docstring(self.program.tree) is not None:
            names = {}
            exec(compile(ast.Module(self.program.tree.body[:1], []), self.path, "exec", dont_inherit=True), names)
            self.line(f"__doc__ = {names['__doc__']!r}", 1, role="definition", defines=("__doc__",))

    def expect(self, text, number):
        """The last line: what the call gave."""
        try:
            self.way = way_of(self.value)
            self.told = told(self.value, self.way)
        except NoLiteral as problem:
            raise Stop(f"the result has no literal to compare with ({problem})", number) from None
        except Exception as error:  # the program's own __repr__
            raise Stop(f"the result cannot be written: {type(error).__name__}", number) from None
        left = text_told(text, self.way)
        self.append(f"assert {left} == {self.told}", number, helper=number is None, role="assert")


def is_constant(node):
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant)


STATEMENTS = {
    ast.Assign: Unroller.simple,
    ast.AugAssign: Unroller.simple,
    ast.Delete: Unroller.simple,
    ast.Assert: Unroller.simple,
    ast.Import: Unroller.simple,
    ast.ImportFrom: Unroller.simple,
    ast.AnnAssign: Unroller.annotated,
    ast.Expr: Unroller.expression,
    ast.Pass: Unroller.nothing,
    ast.Global: Unroller.nothing,
    ast.Nonlocal: Unroller.nothing,
    ast.Break: Unroller.leave_loop,
    ast.Continue: Unroller.leave_loop,
    ast.Return: Unroller.return_,
    ast.If: Unroller.if_,
    ast.While: Unroller.while_,
    ast.For: Unroller.for_,
    ast.Try: compound.try_,
    ast.Raise: compound.raise_,
    ast.With: compound.with_,
    ast.FunctionDef: Unroller.function,
    ast.AsyncFunctionDef: Unroller.function,
    ast.ClassDef: Unroller.class_,
    ast.Match: compound.match,
    ast.TryStar: Unroller.whole,
}
if hasattr(ast, "TypeAlias"):  # since 3.12
    STATEMENTS[ast.TypeAlias] = Unroller.whole
# statements without an event of their own, and those that Python may leave without one
SILENT = {ast.Global, ast.Nonlocal}
UNSEEN = {ast.Pass, ast.Break, ast.Continue, ast.Try, ast.AnnAssign}
