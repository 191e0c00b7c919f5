"""Walking and copying syntax trees, which names a function binds, and the renaming of names when a function is written out in place.

    def g(x): y = x + n; return y      binds x, y; n is found outside
    rename(y = x + n, {x: g1_x, y: g1_y})   ->   g1_y = g1_x + n
"""

import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LEAVES = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)


def children(node):
    """The nodes directly inside, in the order of the fields, without operators and contexts."""
    found = node.__dict__.get("inside")
    if found is None:
        found = node.inside = []
        for field in node._fields:
            value = getattr(node, field, None)
            if type(value) is list:
                found.extend([item for item in value if isinstance(item, ast.AST) and not isinstance(item, LEAVES)])
            elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
                found.append(value)
    return found


def walk(node):
    """The node and everything inside it, outermost first."""
    found = [node]
    for each in found:
        found.extend(children(each))
    return found


def made(kind, /, **fields):
    """A new node; a position of 0 says that its text is not in the source."""
    node = kind(**fields)
    node.lineno = 0
    return node


def clone(node):
    """A copy of the node alone, to be changed."""
    return made(type(node), **{field: getattr(node, field, None) for field in node._fields})


class Scope:
    """Names bound in one function or module, in order of appearance."""

    def __init__(self, node):
        self.parameters = parameters_of(node.args) if isinstance(node, FUNCTIONS) else []
        self.outward = set()
        self.globals = set()
        self.defined = set()
        self.assigned = dict.fromkeys(self.parameters)
        self.yields = False
        self.holds_class = False
        for statement in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(statement)
        self.names = [name for name in self.assigned if name not in self.outward]
        self.bound = set(self.names) | (self.defined - self.outward)
        # functions, classes and modules are not part of the state
        self.data = [name for name in self.names if name not in self.defined or name in self.parameters]

    def visit(self, node):
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                self.assigned.setdefault(node.id)
            return
        if kind is ast.Global:
            self.globals.update(node.names)
            self.outward.update(node.names)
        elif kind is ast.Nonlocal:
            self.outward.update(node.names)
        elif kind in DEFINITIONS:
            self.define(node.name)
            self.holds_class = self.holds_class or kind is ast.ClassDef
            for part in outer_parts(node):
                self.visit(part)
            return
        elif kind is ast.Lambda:
            for part in outer_parts(node):
                self.visit(part)
            return
        elif kind in COMPREHENSIONS:
            self.visit(node.generators[0].iter)
            for inner in walk(node):
                if type(inner) is ast.NamedExpr:
                    self.assigned.setdefault(inner.target.id)
            return
        elif kind in (ast.Import, ast.ImportFrom):
            for alias in node.names:
                self.define(alias.asname or alias.name.split(".")[0])
        elif kind in (ast.Yield, ast.YieldFrom, ast.Await):
            self.yields = True
        elif kind is ast.ExceptHandler or kind in (ast.MatchAs, ast.MatchStar):
            if node.name:
                self.assigned.setdefault(node.name)
        elif kind is ast.MatchMapping and node.rest:
            self.assigned.setdefault(node.rest)
        for child in children(node):
            self.visit(child)

    def define(self, name):
        if name not in self.assigned:
            self.defined.add(name)
        self.assigned.setdefault(name)


def parameters_of(args):
    every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg.arg for arg in every if arg is not None]


def outer_parts(node):
    """The parts that a definition evaluates immediately: decorators, defaults, bases, without annotations."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *[keyword.value for keyword in node.keywords]]
    defaults = [*node.args.defaults, *[default for default in node.args.kw_defaults if default is not None]]
    return defaults if isinstance(node, ast.Lambda) else [*node.decorator_list, *defaults]


def scope_of(node):
    if not hasattr(node, "scope"):
        node.scope = Scope(node)
    return node.scope


def names_in(node):
    """Every name anywhere in the node, bound or used."""
    if not hasattr(node, "every_name"):
        found = set()
        for inner in walk(node):
            for field in NAME_FIELDS.get(type(inner), ()):
                value = getattr(inner, field)
                if type(value) is str:
                    found.add(value.split(".")[0])
                elif value is not None:
                    found.update(value)
        node.every_name = found
    return node.every_name


NAME_FIELDS = {
    ast.Name: ("id",),
    ast.arg: ("arg",),
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.ExceptHandler: ("name",),
    ast.MatchAs: ("name",),
    ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
    ast.alias: ("name", "asname"),
    ast.Global: ("names",),
    ast.Nonlocal: ("names",),
}


def rename(node, names):
    """A copy of the node with names replaced where they are those of the enclosing scope."""
    if isinstance(node, list):
        return [rename(item, names) for item in node]
    if not isinstance(node, ast.AST):
        return node
    kind = type(node)
    if kind is ast.Name:
        return made(ast.Name, id=names.get(node.id, node.id), ctx=node.ctx)
    inside = names
    if kind in FUNCTIONS:
        inside = {name: new for name, new in names.items() if name not in scope_of(node).bound}
    elif kind in COMPREHENSIONS:
        bound = {inner.id for part in node.generators for inner in walk(part.target) if type(inner) is ast.Name}
        inside = {name: new for name, new in names.items() if name not in bound}
    elif kind is ast.ClassDef:
        return rename_class(node, names)
    fields = {}
    for field, value in ast.iter_fields(node):
        fields[field] = rename(value, inside if field in INNER_FIELDS.get(kind, ()) else names)
    if kind in COMPREHENSIONS:
        # the first iterable is evaluated outside
        fields["generators"][0].iter = rename(node.generators[0].iter, names)
    elif kind in (ast.FunctionDef, ast.AsyncFunctionDef):
        fields["name"] = names.get(node.name, node.name)
    elif kind in (ast.ExceptHandler, ast.MatchAs, ast.MatchStar) and node.name:
        fields["name"] = names.get(node.name, node.name)
    elif kind is ast.MatchMapping and node.rest:
        fields["rest"] = names.get(node.rest, node.rest)
    elif kind is ast.alias:
        bound = node.asname or node.name.split(".")[0]
        if names.get(bound, bound) != bound:
            fields["asname"] = names[bound]
    elif kind is ast.Nonlocal and any(name in names for name in node.names):
        # variables of a function written out are global in the trace
        return ast.Global([names.get(name, name) for name in node.names])
    return made(kind, **fields)


INNER_FIELDS = {
    ast.FunctionDef: ("body",),
    ast.AsyncFunctionDef: ("body",),
    ast.Lambda: ("body",),
    ast.ListComp: ("elt", "generators"),
    ast.SetComp: ("elt", "generators"),
    ast.GeneratorExp: ("elt", "generators"),
    ast.DictComp: ("key", "value", "generators"),
}


def rename_class(node, names):
    """The names that a class body binds are its own there, though its methods do not see them."""
    own = scope_of(node).bound
    direct = {name: new for name, new in names.items() if name not in own}
    body = [
        rename(statement, direct) if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) else
        keep_name(rename(statement, names), statement.name)
        for statement in node.body
    ]
    return made(
        ast.ClassDef,
        **{
            **{field: rename(value, names) for field, value in ast.iter_fields(node) if field not in ("body", "name")},
            "name": names.get(node.name, node.name),
            "body": body,
        },
    )


def keep_name(definition, name):
    definition.name = name
    return definition


class Globals:
    """Names that functions find outside all functions, and names that inner functions assign outside themselves."""

    def __init__(self, tree):
        self.read = set()
        self.rebound = set()
        self.visit(tree, None)

    def visit(self, node, bound):
        """`bound` are the names of the functions around the node; None at module level."""
        kind = type(node)
        if kind is ast.Name:
            if bound is not None and node.id not in bound:
                self.read.add(node.id)
            return
        if kind is ast.Global:
            self.read.update(node.names)
            self.rebound.update(node.names)
        elif kind is ast.Nonlocal:
            self.rebound.update(node.names)
        elif kind in FUNCTIONS:
            for part in outer_parts(node):
                self.visit(part, bound)
            inner = (bound or set()) | scope_of(node).bound
            for statement in node.body if kind is not ast.Lambda else [node.body]:
                self.visit(statement, inner)
            return
        elif kind in COMPREHENSIONS:
            self.visit(node.generators[0].iter, bound)
            targets = [inner for part in node.generators for inner in walk(part.target)]
            # at module level its own names are still no globals
            bound = (bound or set()) | {inner.id for inner in targets if type(inner) is ast.Name}
        for child in children(node):
            self.visit(child, bound)
