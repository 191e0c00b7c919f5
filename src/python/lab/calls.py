"""Calls of the program's own functions, written out in place with renamed variables.

    y = g(x) + 1        g1_a = x
                        g1_return = g1_a * 2        (the body of g, its variables renamed)
                        y = g1_return + 1

What stands before such a call in an expression is evaluated before it, as Python does, in a helper variable if the call
could change it. A call that cannot be written out (of a generator, with a decorator, passed to sorted) stays a call, and
the definition of its function stays in the trace.
"""

import ast
import types

from lab.literals import NoLiteral, literal
from lab.nodes import children, clone
from lab.run import MISSING, Frame, Stack, Stop
from lab.scopes import COMPREHENSIONS, names_in, rename, scope_of

FRAME_READERS = {"locals", "globals", "vars", "dir", "eval", "exec", "super", "__class__"}
OPAQUE = (ast.Lambda, *COMPREHENSIONS)


class Definition:
    """A function of the program: its node, the frame it was defined in, its defaults as text of the trace."""

    __slots__ = ("node", "frame", "function", "defaults", "inlined")

    def __init__(self, node, frame, function, defaults):
        self.node = node
        self.frame = frame
        self.function = function
        self.defaults = defaults
        scope = scope_of(node)
        self.inlined = not (
            scope.yields
            or isinstance(node, ast.AsyncFunctionDef)
            or names_in(node) & FRAME_READERS
        )


class Calls:
    def __init__(self, unroller):
        self.unroller = unroller
        self.definitions = {}
        self.activations = {}

    # definitions

    def define(self, node):
        """Executes a definition. Its line leaves the trace again if nothing in the trace calls the function."""
        unroller = self.unroller
        names = unroller.frame.names
        name = names.get(node.name, node.name)
        text = self.copied(node)
        defaults = {}
        if text is None:
            written = rename(node, names)
            defaults = {} if node.decorator_list else self.keep_defaults(node, name, written)
            text = ast.unparse(written)
        else:
            defaults = literal_defaults(node.args)
        unroller.line(text, node.number, role="definition", defines=(name,))
        function = unroller.namespace[name]
        wrapped = getattr(function, "__wrapped__", None) if is_cache(function) else function
        if type(wrapped) is types.FunctionType and (not node.decorator_list or is_cache(function)):
            self.definitions[id(function)] = Definition(node, unroller.frame, function, defaults)

    def copied(self, node):
        """The definition as it stands in the source, where nothing in it changes its name."""
        unroller = self.unroller
        if unroller.frame is not unroller.module or unroller.frame.renamed or node.decorator_list:
            return None
        every = [*node.args.defaults, *[each for each in node.args.kw_defaults if each is not None]]
        return unroller.program.text.block(node) if all(map(is_literal, every)) else None

    def keep_defaults(self, node, name, written):
        """Defaults are evaluated once, here: other than literals they get a variable that calls refer to."""
        unroller = self.unroller
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        slots = [(arg.arg, written.args.defaults, i) for i, arg in enumerate(positional[len(positional) - len(args.defaults) :])]
        slots += [
            (arg.arg, written.args.kw_defaults, i)
            for i, arg in enumerate(args.kwonlyargs)
            if args.kw_defaults[i] is not None
        ]
        texts = {}
        for parameter, values, i in slots:
            if is_literal(values[i]):
                texts[parameter] = ast.unparse(values[i])
                continue
            variable = unroller.unused(f"{name}_{parameter}_default")
            unroller.taken.add(variable)
            unroller.line(f"{variable} = {ast.unparse(values[i])}", node.number, helper=True)
            values[i] = ast.Name(variable, ast.Load())
            texts[parameter] = variable
        return texts

    # which calls are written out

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

    def has_own(self, node):
        if not self.definitions:
            return False
        if not getattr(node, "lineno", 0):
            calls = calls_in(node)
        else:
            calls = getattr(node, "calls", None)
            if calls is None:
                calls = node.calls = calls_in(node)
        return any(self.own(call) is not None for call in calls)

    # writing out

    def inline(self, call, definition, used=True):
        """Writes the call out; the variable that holds its result, if it is used."""
        unroller = self.unroller
        pairs = self.arguments(call, definition)
        values = self.in_order([value for _, value in pairs])
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

    # expressions

    def statement(self, node):
        """The statement with its own calls written out before it."""
        if not self.has_own(node):
            return node
        made = clone(node)
        for field in ("value", "exc", "cause", "test", "msg"):
            part = getattr(node, field, None)
            if part is not None:
                setattr(made, field, self.flatten(part))
        if isinstance(node, ast.Assign) and any(self.has_own(target) for target in node.targets):
            made.value = self.hold(made.value)
            made.targets = [self.flatten(target) for target in node.targets]
        elif isinstance(node, ast.AugAssign):
            made.target = self.flatten(node.target)
        return made

    def flatten(self, node):
        """An expression of the same value without own calls; what it needs is written before."""
        if not self.has_own(node):
            return node
        if isinstance(node, ast.Call):
            definition = self.own(node)
            if definition is not None:
                return self.inline(node, definition)
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
        return made

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
            return self.stable(node.value) and type(owner) in (list, dict, set, str, tuple, types.ModuleType)
        return False

    # the call that is traced

    def enter(self, call):
        """Starts the call: its arguments line. Gives the function's node, and what wraps the result."""
        unroller = self.unroller
        name = call.name
        namespace = unroller.namespace
        mapped = unroller.module.names.get(name, name)
        if mapped not in namespace:
            raise Stop(f"the program defines no function {name}", None)
        function = namespace[mapped]
        definition = self.definitions.get(id(function))
        if definition is None:
            raise Stop(f"{name} is no plain function of the program", None)
        if not definition.inlined and (scope_of(definition.node).yields or isinstance(definition.node, ast.AsyncFunctionDef)):
            what = "a generator" if isinstance(definition.node, ast.FunctionDef) else "a coroutine"
            raise Stop(f"{name} is {what}, whose body runs only when its values are asked for", definition.node.number)
        scope = scope_of(definition.node)
        label = f"{name}0"
        module = unroller.module
        own = {}
        for local in scope.bound:
            shared = local in module.scope.bound and local not in scope.parameters
            own[local] = f"{label}_{local}" if local in unroller.reserved or shared else local
        frame = Frame(scope, self.visible(definition, scope, own), None, own)
        stack = Stack((*unroller.stack.frames, frame))
        line = self.arguments_line(call, definition, frame)
        if line is not None:
            unroller.line(line, definition.node.number, role="arguments", stack=stack)
        unroller.frame = unroller.entry = frame
        unroller.stack = stack
        unroller.events.append(("enter", definition.node.number, False, len(unroller.lines), stack))
        return definition.node, call.wrap

    def arguments_line(self, call, definition, frame):
        """`arr, n = [1, 2], 5`: the text of the arguments as it was given, where every one is positional."""
        node = call.node
        pairs = self.arguments(node, definition)
        as_given = pairs is not None
        if not as_given:
            pairs = self.bound_by_value(call, definition)
        if not pairs:
            return None
        targets = ", ".join(frame.names[parameter] for parameter, _ in pairs)
        args = definition.node.args
        text = call.arguments_text() if as_given and not (node.keywords or args.vararg or args.kwarg) else None
        if text is not None:
            defaults = [value.id for _, value in pairs[len(node.args) :]]
            return f"{targets} = {', '.join([text, *defaults] if text else defaults)}"
        values = [ast.unparse(rename(value, self.unroller.module.names)) for _, value in pairs]
        return f"{targets} = {', '.join(values)}"

    def bound_by_value(self, call, definition):
        """Arguments that are unpacked with * or ** are written as the literals that they came to."""
        unroller = self.unroller
        spread = call.with_callee("(lambda *given, **named: (given, named))")
        given, named = unroller.evaluate(spread, definition.node.number)
        try:
            texts = [*map(literal, given), *[f"{name}={literal(value)}" for name, value in named.items()]]
        except NoLiteral as problem:
            raise Stop(f"an argument that is unpacked with * or ** has no literal ({problem})", None) from None
        pairs = self.arguments(ast.parse(f"f({', '.join(texts)})", mode="eval").body, definition)
        if pairs is None:
            # the call itself says what is wrong with it
            unroller.line(call.text, definition.node.number)
            raise Stop("the arguments do not fit the function", definition.node.number)
        return pairs


def calls_in(node):
    """Calls by name that are evaluated with the expression itself."""
    found = []
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, OPAQUE):
            if not isinstance(inner, ast.Lambda):
                waiting.append(inner.generators[0].iter)
            continue
        if type(inner) is ast.Call and type(inner.func) is ast.Name:
            found.append(inner)
        waiting.extend(children(inner))
    return found


def slots_of(node):
    """Where the parts of an expression stand, in the order of their evaluation; lists are copied first."""
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


def literal_defaults(args):
    """The text of each default, where every one is a literal."""
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(reversed(positional), reversed(args.defaults)), *zip(args.kwonlyargs, args.kw_defaults)]
    return {arg.arg: ast.unparse(default) for arg, default in pairs if default is not None}


def is_literal(node):
    if isinstance(node, ast.Tuple):
        return all(map(is_literal, node.elts))
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def is_cache(function):
    return type(function).__name__ == "_lru_cache_wrapper"
