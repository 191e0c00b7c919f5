"""Whether evaluating an expression can change anything: a condition that cannot is dropped from a trace.

    len(xs) > 3          changes nothing
    xs.pop() > 3         changes xs
    (n := len(xs)) > 3   assigns n

The answer may be "it can" for something harmless, which then stays in the trace; a wrong "it cannot" is found by the
proof. Operators on the program's own classes run its code, so where it overloads any, every condition stays.
"""

import ast
import builtins
import collections
import math
import re
import types

from lab.scopes import children, walk
from lab.values import identity

PURE_FUNCTIONS = {
    identity(getattr(builtins, name))
    for name in """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float
    format frozenset hash hex id int isinstance issubclass len list map max min oct ord pow range repr reversed round
    set slice sorted str sum tuple type zip hasattr getattr""".split()
} | {identity(function) for function in vars(math).values() if callable(function)} | {
    identity(function) for function in (re.match, re.search, re.findall, re.fullmatch, re.sub, re.split, re.compile)
} | {identity(collections.Counter)}

PURE_METHODS = {
    name
    for kind in (str, bytes, tuple, int, float, frozenset, complex, range)
    for name in dir(kind)
    if not name.startswith("_")
} | set("get keys values items copy fromkeys most_common elements".split()) | set(
    "match search findall fullmatch sub split group groups groupdict start end span".split()
)

# copies of a Counter or dictionary are pure; what else a mutable container has in common with str is too
QUIET_TYPES = {
    int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None), range, slice, type,
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, collections.Counter,
    collections.deque, collections.OrderedDict, re.Pattern, re.Match,
}  # fmt: skip

PLAIN_BASES = {"object"} | {
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
}
# methods that no operator calls
ORDINARY = set("__init__ __new__ __repr__ __str__ __post_init__ __enter__ __exit__ __slots__".split())


class Effects:
    """`tree` is the whole program; `lookup` gives the value of a name in the frame that asks, or raises KeyError."""

    def __init__(self, tree):
        self.methods = set()
        self.overloaded = False
        known = PLAIN_BASES | {node.name for node in walk(tree) if isinstance(node, ast.ClassDef)}
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                for part in walk(node):
                    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.methods.add(part.name)
                        special = part.name.startswith("__") and part.name not in ORDINARY
                        self.overloaded = self.overloaded or special or bool(part.decorator_list)
                # an inherited operator may be anyone's
                foreign = [base for base in node.bases if not (isinstance(base, ast.Name) and base.id in known)]
                self.overloaded = self.overloaded or bool(foreign) or bool(node.keywords)

    def free(self, node, lookup):
        return not self.overloaded and self.quiet(node, lookup, ())

    def quiet(self, node, lookup, inner):
        kind = type(node)
        if kind is ast.Constant:
            return True
        if kind is ast.Name:
            if node.id in inner:
                return True
            try:
                value = lookup(node.id)
            except KeyError:
                return hasattr(builtins, node.id)
            kind = type(value)
            if type(kind) is not type:
                return False
            return kind in QUIET_TYPES or not (hasattr(kind, "__next__") or hasattr(kind, "__missing__"))
        if kind is ast.Call:
            return self.quiet_call(node, lookup, inner)
        if kind in (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom):
            return False
        if kind is ast.Lambda:
            inner = (*inner, *[arg.arg for arg in walk(node.args) if isinstance(arg, ast.arg)])
        elif kind in (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp):
            targets = [part for each in node.generators for part in walk(each.target)]
            inner = (*inner, *[part.id for part in targets if isinstance(part, ast.Name)])
        return all(
            self.quiet(child, lookup, inner)
            for child in children(node)
            if not isinstance(child, ast.arguments)
        )

    def quiet_call(self, node, lookup, inner):
        callee = node.func
        arguments = [*node.args, *[keyword.value for keyword in node.keywords]]
        if not all(self.quiet(argument, lookup, inner) for argument in arguments):
            return False
        if isinstance(callee, ast.Name):
            if callee.id in inner:
                return False
            try:
                value = lookup(callee.id)
            except KeyError:
                value = getattr(builtins, callee.id, None)
            functions = [argument for argument in arguments if isinstance(argument, ast.Name)]
            return identity(value) in PURE_FUNCTIONS and not any(self.runs_code(name, lookup) for name in functions)
        if isinstance(callee, ast.Attribute):
            if isinstance(callee.value, ast.Name) and callee.value.id not in inner:
                try:
                    module = lookup(callee.value.id)
                except KeyError:
                    module = None
                if type(module) is types.ModuleType:
                    return identity(getattr(module, callee.attr, None)) in PURE_FUNCTIONS
            pure = callee.attr in PURE_METHODS and callee.attr not in self.methods
            return pure and self.quiet(callee.value, lookup, inner)
        return False

    def runs_code(self, name, lookup):
        """Whether the name is a function of the program, passed on to be called."""
        try:
            return type(lookup(name.id)) in (types.FunctionType, types.MethodType)
        except KeyError:
            return False
