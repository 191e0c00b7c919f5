"""Definitions: executed where they stand, and written into the trace if something there still uses them, or if they changed anything.

    def g(x, seen=[]): ...        g_seen_default = []
                                  def g(x, seen=g_seen_default): ...      (left out where nothing calls it)
"""

import ast
import builtins
import functools
import types

from lab.scopes import names_in, rename, scope_of, walk
from lab.values import bases_of, dictionary_of, identity

FRAME_READERS = {"locals", "globals", "vars", "dir", "eval", "exec", "super", "__class__"}
CACHES = {identity(functools.cache), identity(functools.lru_cache)}
WRAPPERS = {identity(staticmethod), identity(classmethod), identity(property)}
"""Decorators that do nothing but wrap the function."""


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
    line = unroller.line(text, node.number, role="definition", defines=(name,))
    if not is_quiet(unroller, node):
        line.defines = ()
    function = unroller.namespace[name]
    wrapped = getattr(function, "__wrapped__", None) if is_cache(function) else function
    if type(wrapped) is types.FunctionType and (not node.decorator_list or is_cache(function)):
        unroller.calls.definitions[identity(function)] = Definition(node, unroller.frame, function, defaults)


def define_class(unroller, node):
    text = ast.unparse(rename(node, unroller.frame.names))
    name = unroller.frame.names.get(node.name, node.name)
    line = unroller.line(text, node.number, role="definition", defines=(name,))
    made = unroller.namespace[name]
    if not is_quiet_class(unroller, node, made):
        line.defines = ()
    define_methods(unroller, node, made)


def is_quiet(unroller, node, wrappers=CACHES):
    """Whether a function's definition makes the function and does nothing else."""
    args = node.args
    parameters = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    parts = [node.returns, *[each.annotation for each in parameters if each is not None]]
    if node.decorator_list or wrappers is not CACHES:  # else `keep_defaults` writes those that are no literals
        parts += [*args.defaults, *args.kw_defaults]
    if not all(is_quiet_part(unroller, each) for each in parts):
        return False
    return all(decorator_of(unroller, each) in wrappers for each in node.decorator_list)


def is_quiet_part(unroller, node):
    """Whether evaluating an annotation, a default or a base has no effect."""
    if node is None or is_literal(node):
        return True
    effects = unroller.effects
    return "__class_getitem__" not in effects.methods and effects.quiet(node, unroller.lookup, ())


def decorator_of(unroller, node):
    """The identity of what `@name`, `@module.name` or `@name(1)` calls; None for other decorators."""
    if isinstance(node, ast.Call):
        if not all(isinstance(each, ast.Constant) for each in [*node.args, *[each.value for each in node.keywords]]):
            return None
        node = node.func
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = found(unroller, node.value.id)
        return identity(vars(module).get(node.attr)) if type(module) is types.ModuleType else None
    return identity(found(unroller, node.id)) if isinstance(node, ast.Name) else None


def found(unroller, name):
    try:
        return unroller.lookup(name)
    except KeyError:
        return getattr(builtins, name, None)


def is_quiet_class(unroller, node, made):
    """Whether a class definition makes the class and does nothing else: no metaclass, no hook of a base, no code in its body."""
    if type(made) is not type or node.decorator_list or node.keywords:
        return False
    if any("__init_subclass__" in dictionary_of(base) for base in bases_of(made)[1:-1]):
        return False
    if not all(is_quiet_part(unroller, each) for each in node.bases):
        return False
    return all(is_quiet_member(unroller, each) for each in node.body)


def is_quiet_member(unroller, node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return is_quiet(unroller, node, CACHES | WRAPPERS)
    if isinstance(node, ast.Assign):
        return all(isinstance(each, ast.Name) for each in node.targets) and is_literal(node.value)
    if isinstance(node, ast.AnnAssign):
        return is_quiet_part(unroller, node.annotation) and (node.value is None or is_literal(node.value))
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


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
    """The definition as in the source, if nothing in it changes its name."""
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
