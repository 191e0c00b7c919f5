"""Calls of the program's own functions, written out in place with renamed variables.

    y = g(x) + 1        g1_a = x
                        g1_return = g1_a * 2        (the body of g, its variables renamed)
                        y = g1_return + 1
    b = Box(3)          Box1_self, Box1_n = Box.__new__(Box), 3
                        Box1_self.n = Box1_n        (the body of __init__)
                        b = Box1_self

A call that cannot be written out (of a generator, with a decorator, passed to sorted) stays a call, and the
definition of its function stays in the trace. The call that is traced has its arguments in a line, and its variables keep their names:

    f([1, 2], n=3)      xs, n = [1, 2], 3
"""

import ast

from lab.results import NoLiteral, literal
from lab.run import Frame, Stack, Stop
from lab.scopes import rename, scope_of
from lab.values import bases_of, dictionary_of, fields_of, identity


class Calls:
    def __init__(self, unroller):
        self.unroller = unroller
        self.definitions = {}
        self.activations = {}
        self.classes = {}
        self.methods = set()

    def own(self, node):
        """The target of the call if it can be inlined: (definition, the call as one of a plain function)."""
        if type(node) is not ast.Call or not self.definitions or self.unroller.options.calls == "keep":
            return None
        found = None
        if type(node.func) is ast.Name:
            found = self.function_or_class(node)
        elif type(node.func) is ast.Attribute and type(node.func.value) in (ast.Name, ast.Call):
            found = self.method(node)
        if found is None or not found[0].inlined or found[0].node.decorator_list:
            return None
        if len(self.unroller.stack.frames) > self.unroller.options.maximum_depth:
            return None
        return found if self.arguments(found[1], found[0]) is not None else None

    def value_of(self, name):
        return self.unroller.namespace.get(self.unroller.frame.names.get(name, name))

    def function_or_class(self, node):
        value = self.value_of(node.func.id)
        found = self.definitions.get(identity(value))
        if found is not None:
            return (found, node) if found.function is value else None
        if self.classes.get(identity(value)) is not value or value is None:
            return None
        # an object of a class that only the program says how to make
        if not all(base is object or identity(base) in self.classes for base in bases_of(value)):
            return None
        found = self.inherited(value, "__init__")
        if found is None or any("__new__" in dictionary_of(base) for base in bases_of(value)[:-1]):
            return None
        made = ast.Call(ast.Attribute(node.func, "__new__", ast.Load()), [node.func], [])
        return found, ast.Call(node.func, [made, *node.args], node.keywords)

    def method(self, node):
        """`obj.m(x)` as `m(obj, x)`, where the class alone decides which function that is."""
        name, receiver = node.func.attr, node.func.value
        if name not in self.methods:
            return None
        if type(receiver) is ast.Call:
            value, kind = None, self.class_made(receiver, name)
        else:
            value = self.value_of(receiver.id)
            kind = type(value)
        if kind is None or self.classes.get(identity(kind)) is not kind:
            return None
        if value is not None and any(field == name for field, _ in fields_of(value, bases_of(kind))):
            return None
        found = self.inherited(kind, name)
        if found is None or any("__getattribute__" in dictionary_of(base) for base in bases_of(kind)[:-1]):
            return None
        return found, ast.Call(node.func, [receiver, *node.args], node.keywords)

    def class_made(self, node, name):
        """The class of `Solution()`, where making an object runs no code of the program and gives it no field of that name."""
        kind = self.value_of(node.func.id) if type(node.func) is ast.Name else None
        if kind is None or self.classes.get(identity(kind)) is not kind:
            return None
        own = bases_of(kind)[:-1]
        if any("__new__" in dictionary_of(base) or identity(base) not in self.classes for base in own):
            return None
        fields = dictionary_of(kind).get("__dataclass_fields__")
        has_init = any("__init__" in dictionary_of(base) for base in own)
        return None if has_init and (type(fields) is not dict or name in fields or "__post_init__" in dictionary_of(kind)) else kind

    def inherited(self, kind, name):
        for base in bases_of(kind):
            if name in dictionary_of(base):
                function = dictionary_of(base)[name]
                found = self.definitions.get(identity(function))
                return found if found is not None and found.function is function else None
        return None

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

    def inline(self, own, used=True):
        """Inlines the call; returns the variable of its result, if it is used."""
        unroller = self.unroller
        definition, call = own
        pairs = self.arguments(call, definition)
        values = unroller.expressions.in_order([value for _, value in pairs])
        texts = [ast.unparse(rename(value, unroller.frame.names)) for value in values]
        constructed = definition.node.name == "__init__"
        name = call.func.id if constructed and type(call.func) is ast.Name else definition.node.name.strip("_")
        name = name if name.isidentifier() else f"f{name}"  # of `_85encode` the underscore is gone
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
            if flow is None and used and not constructed:
                unroller.line(f"{frame.result} = None", None, helper=True)
        finally:
            unroller.events.append(("exit", None, False, len(unroller.lines), inside))
            unroller.frame, unroller.stack, unroller.handling = caller, outside, handling
            unroller.current = current
        return ast.Name(frame.names[pairs[0][0]] if constructed else frame.result, ast.Load())

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


def enter_call(unroller, call):
    """Starts the call: its arguments line. Gives the function's node, and what wraps the result; no node where the call is of
    something else (a class, a method, a generator, a coroutine, what a decorator made), or unpacks what has no literal."""
    name = call.name
    if name is None:
        return None, None
    namespace = unroller.namespace
    mapped = unroller.module.names.get(name, name)
    if mapped not in namespace:
        raise Stop(f"the program defines no function {name}", None)
    function = namespace[mapped]
    definition = unroller.calls.definitions.get(identity(function))
    if definition is None or scope_of(definition.node).yields or isinstance(definition.node, ast.AsyncFunctionDef):
        return None, None
    scope = scope_of(definition.node)
    label = f"{name}0"
    module = unroller.module
    own = {}
    for local in scope.bound:
        shared = local in module.scope.bound and local not in scope.parameters
        own[local] = f"{label}_{local}" if local in unroller.reserved or shared else local
    frame = Frame(scope, unroller.calls.visible(definition, scope, own), None, own)
    stack = Stack((*unroller.stack.frames, frame))
    try:
        line = arguments_line(unroller, call, definition, frame)
    except NoLiteral:
        return None, None
    if line is not None:
        unroller.line(line, definition.node.number, role="arguments", stack=stack)
    unroller.frame = unroller.entry = frame
    unroller.stack = stack
    unroller.events.append(("enter", definition.node.number, False, len(unroller.lines), stack))
    return definition.node, call.wrap


def as_expression(unroller, call):
    """The text of the whole call, once what can be written out of it is: `P(1).m(2)` is the body of __init__, then that of m."""
    before = unroller.live.get("value", 0)
    unroller.current = None
    text = unroller.render(unroller.expressions.flatten(call.expression()))
    unroller.value = unroller.evaluate(text, None)
    unroller.release("value", before)
    return text, None


def arguments_line(unroller, call, definition, frame):
    """`arr, n = [1, 2], 5`: the text of the arguments as it was given, where every one is positional."""
    node = call.node
    pairs = unroller.calls.arguments(node, definition)
    as_given = pairs is not None
    if not as_given:
        pairs = bound_by_value(unroller, call, definition)
    if not pairs:
        return None
    targets = ", ".join(frame.names[parameter] for parameter, _ in pairs)
    args = definition.node.args
    text = call.arguments_text() if as_given and not (node.keywords or args.vararg or args.kwarg) else None
    if text is not None:
        defaults = [value.id for _, value in pairs[len(node.args) :]]
        return f"{targets} = {', '.join([text, *defaults] if text else defaults)}"
    values = [ast.unparse(rename(value, unroller.module.names)) for _, value in pairs]
    return f"{targets} = {', '.join(values)}"


def bound_by_value(unroller, call, definition):
    """Arguments that are unpacked with * or ** are written as the literals that they came to. Errors: NoLiteral."""
    spread = call.with_callee("(lambda *given, **named: (given, named))")
    given, named = unroller.evaluate(spread, definition.node.number)
    texts = [*map(literal, given), *[f"{name}={literal(value)}" for name, value in named.items()]]
    pairs = unroller.calls.arguments(ast.parse(f"f({', '.join(texts)})", mode="eval").body, definition)
    if pairs is None:
        # the call itself says what is wrong with it
        unroller.line(call.text, definition.node.number)
        raise Stop("the arguments do not fit the function", definition.node.number)
    return pairs
