"""The call that is traced: its arguments line, and the frame whose variables keep their own names.

    f([1, 2], n=3)        xs, n = [1, 2], 3
"""

import ast

from lab.literals import NoLiteral, literal
from lab.run import Frame, Stack, Stop
from lab.scopes import rename, scope_of
from lab.values import identity


def enter(unroller, call):
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
