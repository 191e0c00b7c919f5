"""Walking and copying syntax trees, quickly: most of the time of a short trace goes here."""

import ast

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
