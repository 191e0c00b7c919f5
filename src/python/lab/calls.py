"""Calls of the program's own functions, written out in place with renamed variables.

    y = g(x) + 1        g1_a = x
                        g1_return = g1_a * 2        (the body of g, its variables renamed)
                        y = g1_return + 1

A call that cannot be written out (of a generator, with a decorator, passed to sorted) stays a call, and the
definition of its function stays in the trace.
"""

import ast

from lab.run import Frame, Stack
from lab.scopes import rename, scope_of


class Calls:
    def __init__(self, unroller):
        self.unroller = unroller
        self.definitions = {}
        self.activations = {}

    def own(self, node):
        """The definition that the call is to, if it can be written out."""
        if type(node) is not ast.Call or type(node.func) is not ast.Name or not self.definitions:
            return None
        unroller = self.unroller
        name = unroller.frame.names.get(node.func.id, node.func.id)
        function = unroller.namespace.get(name)
        found = self.definitions.get(id(function))
        if found is None or found.function is not function or unroller.options.calls == "keep":
            return None
        if not found.inlined or found.node.decorator_list:
            return None
        if len(unroller.stack.frames) > unroller.options.maximum_depth:
            return None
        return found if self.arguments(node, found) is not None else None

    def arguments(self, call, definition):
        """(parameter, argument) in the order of evaluation, then (parameter, default text); None if they do not fit."""
        if any(isinstance(argument, ast.Starred) for argument in call.args) or any(
            keyword.arg is None for keyword in call.keywords
        ):
            return None
        args = definition.node.args
        positional = [arg.arg for arg in [*args.posonlyargs, *args.args]]
        named = {arg.arg for arg in [*args.args, *args.kwonlyargs]}
        given = list(zip(positional, call.args))
        rest = call.args[len(positional) :]
        if rest or args.vararg is not None:
            if args.vararg is None:
                return None
            given.append((args.vararg.arg, ast.Tuple(list(rest), ast.Load())))
        extra = ast.Dict([], [])
        for keyword in call.keywords:
            if keyword.arg in named:
                given.append((keyword.arg, keyword.value))
            elif args.kwarg is not None:
                extra.keys.append(ast.Constant(keyword.arg))
                extra.values.append(keyword.value)
            else:
                return None
        if args.kwarg is not None:
            given.append((args.kwarg.arg, extra))
        bound = [parameter for parameter, _ in given]
        for parameter in [*positional, *[arg.arg for arg in args.kwonlyargs]]:
            if parameter not in bound:
                if parameter not in definition.defaults:
                    return None
                given.append((parameter, ast.Name(definition.defaults[parameter], ast.Load())))
        return given if len(set(bound)) == len(bound) else None

    def inline(self, call, definition, used=True):
        """Writes the call out; the variable that holds its result, if it is used."""
        unroller = self.unroller
        pairs = self.arguments(call, definition)
        values = unroller.expressions.in_order([value for _, value in pairs])
        texts = [ast.unparse(rename(value, unroller.frame.names)) for value in values]
        name = definition.node.name
        frame = self.new_frame(definition, self.label(name))
        caller, outside, current = unroller.frame, unroller.stack, unroller.current
        inside = Stack((*outside.frames, frame))
        if pairs:
            targets = ", ".join(frame.names[parameter] for parameter, _ in pairs)
            unroller.line(f"{targets} = {', '.join(texts)}", unroller.current, helper=True, stack=inside)
        unroller.frame, unroller.stack = frame, inside
        unroller.events.append(("enter", definition.node.number, False, len(unroller.lines), inside))
        handling, unroller.handling = unroller.handling, list(unroller.handling)
        try:
            flow = unroller.block(definition.node.body)
            if flow is None and used:
                unroller.line(f"{frame.result} = None", None, helper=True)
        finally:
            unroller.events.append(("exit", None, False, len(unroller.lines), inside))
            unroller.frame, unroller.stack, unroller.handling = caller, outside, handling
            unroller.current = current
        return ast.Name(frame.result, ast.Load())

    def label(self, name):
        """fib1, fib2, ...: one label for each call that is written out."""
        unroller = self.unroller
        count = self.activations.get(name, 0) + 1
        while any(taken.startswith(f"{name}{count}_") for taken in unroller.taken):
            count += 1
        self.activations[name] = count
        return f"{name}{count}"

    def new_frame(self, definition, label):
        scope = scope_of(definition.node)
        own = {name: f"{label}_{name}" for name in scope.bound}
        return Frame(scope, self.visible(definition, scope, own), f"{label}_return", own)

    def visible(self, definition, scope, own):
        outer = definition.frame.names
        module = self.unroller.module.names
        names = {**outer, **own}
        for name in scope.globals:
            names[name] = module.get(name, name)
        return names
