"""Function definitions: executed where they stand, and written into the trace only if something there still calls them.

    def g(x, seen=[]): ...        g_seen_default = []
                                  def g(x, seen=g_seen_default): ...      (left out where nothing calls it)
"""

import ast
import types

from lab.nodes import walk
from lab.scopes import names_in, rename, scope_of
from lab.values import dictionary_of, identity

FRAME_READERS = {"locals", "globals", "vars", "dir", "eval", "exec", "super", "__class__"}


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


def define(unroller, node):
    """Executes a definition. Its line leaves the trace again if nothing in the trace calls the function."""
    names = unroller.frame.names
    name = names.get(node.name, node.name)
    text = copied(unroller, node)
    defaults = {}
    if text is None:
        written = rename(node, names)
        defaults = {} if node.decorator_list else keep_defaults(unroller, node, name, written)
        text = ast.unparse(written)
    else:
        defaults = literal_defaults(node.args)
    unroller.line(text, node.number, role="definition", defines=(name,))
    function = unroller.namespace[name]
    wrapped = getattr(function, "__wrapped__", None) if is_cache(function) else function
    if type(wrapped) is types.FunctionType and (not node.decorator_list or is_cache(function)):
        unroller.calls.definitions[identity(function)] = Definition(node, unroller.frame, function, defaults)


def define_methods(unroller, node, made):
    """The methods of a class can be written out where nothing but their own names is special about them."""
    if type(made) is not type:
        return
    unroller.calls.classes[identity(made)] = made
    for method in node.body:
        if not isinstance(method, ast.FunctionDef) or method.decorator_list or has_private_names(method):
            continue
        function = dictionary_of(made).get(method.name)
        defaults = [*method.args.defaults, *[each for each in method.args.kw_defaults if each is not None]]
        if type(function) is types.FunctionType and all(map(is_literal, defaults)):
            texts = literal_defaults(method.args)
            unroller.calls.definitions[identity(function)] = Definition(method, unroller.frame, function, texts)
            unroller.calls.methods.add(method.name)


def has_private_names(method):
    """`self.__x` means another name inside of a class than outside."""
    names = [getattr(part, "attr", None) or getattr(part, "id", None) or "" for part in walk(method)]
    return any(name.startswith("__") and not name.endswith("__") for name in names)


def copied(unroller, node):
    """The definition as it stands in the source, where nothing in it changes its name."""
    if unroller.frame is not unroller.module or unroller.frame.renamed or node.decorator_list:
        return None
    every = [*node.args.defaults, *[each for each in node.args.kw_defaults if each is not None]]
    return unroller.program.text.block(node) if all(map(is_literal, every)) else None


def keep_defaults(unroller, node, name, written):
    """Defaults are evaluated once, here: other than literals they get a variable that calls refer to."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    with_default = positional[len(positional) - len(args.defaults) :]
    slots = [(arg.arg, written.args.defaults, i) for i, arg in enumerate(with_default)]
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
