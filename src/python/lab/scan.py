"""What a program's text says of its environment, before it runs.

    import sys; sys.platform        machine: sys.platform
"""

import ast

MACHINE = {
    "sys": "argv byteorder exec_prefix executable flags hexversion implementation path platform prefix version version_info",
    "os": "cpu_count getcwd getlogin getpid getppid getuid getgid getloadavg times uname listdir get_terminal_size",
    "platform": None,
    "locale": None,
    "resource": None,
    "getpass": None,
    "time": "tzname timezone altzone daylight",
    "gc": "get_count get_stats get_threshold collect",
    "threading": "get_ident get_native_id",
    "inspect": "stack currentframe",
}
REFUSED = {"sys": {"modules": "which modules are loaded", "_getframe": "for the frames that are under way"}}
WORDS = {"hash", "set", "frozenset", "__hash__", "getsizeof", "hash_info", "calcsize", "itemsize"}
FINALIZERS = set("__del__ weakref finalize getrefcount open gc tempfile NamedTemporaryFile".split())
PLAIN_MODULES = set(
    """__future__ abc bisect calendar cmath collections colorsys copy dataclasses datetime decimal enum fractions functools heapq
    itertools json keyword math numbers operator random re statistics string textwrap time types typing""".split()
)
CONTEXT = set("__context__ exc_info exception format_exc print_exc format_exception last_exc".split())
DATES = {"now", "utcnow", "today"}
EXACT = set(
    """ceil comb copysign degrees dist e fabs factorial floor fma fmax fmin fmod frexp fsum gcd hypot inf isclose isfinite isinf isnan
    isqrt lcm ldexp modf nan nextafter perm pi prod radians remainder sqrt sumprod tau trunc ulp""".split()
)
"""What `math` gives alike wherever floats are those of IEEE 754; all else is the C library's, and may differ in the last digit."""
FLOATS = {"math", "random", "statistics", "time", "decimal", "fractions"}
"""Modules that give floats."""
DRAWN = set(
    """betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate vonmisesvariate weibullvariate NormalDist
    geometric_mean kde kde_random""".split()
)
"""What takes the C library's functions, of whatever object it is asked."""


def scan(tree, call):
    """Plain data, for all runs of the program; with the number of the statement where it is a reason to refuse. Names that are put together while it runs are not seen."""
    aliases, mentioned, names, attributes, has_set = {}, [], set(), [], False
    for node in ast.walk(tree):
        kind = type(node)
        if kind is ast.Name:
            names.add(node.id)
        elif kind is ast.Attribute:
            attributes.append(node)
        elif kind is ast.Import:
            for alias in node.names:
                first = alias.name.split(".")[0]
                aliases[alias.asname or first] = alias.name if alias.asname else first
        elif kind is ast.ImportFrom and node.module:
            mentioned += [(node.module, alias.name, node.lineno) for alias in node.names]
        elif kind is ast.Set or kind is ast.SetComp:
            has_set = True
    dates = "datetime" in aliases.values() or any(module == "datetime" for module, _, _ in mentioned)
    for node in attributes:
        if isinstance(node.value, ast.Name) and node.value.id in aliases:
            mentioned.append((aliases[node.value.id], node.attr, node.lineno))
    known = {node.attr: node.lineno for node in reversed(attributes)}
    refused = [
        [f"asks {REFUSED[module][name]} ({module}.{name}), the lab's own among them", number]
        for module, name, number in mentioned
        if name in REFUSED.get(module, ())
    ]
    machine = {
        f"{module}.{name}"
        for module, name, _ in mentioned
        if module in MACHINE and (MACHINE[module] is None or name in MACHINE[module].split())
    }
    if "__subclasses__" in known:
        machine.add("type.__subclasses__")
    imported = {name.split(".")[0] for name in aliases.values()} | {module.split(".")[0] for module, _, _ in mentioned}
    return {
        # whether the program could notice that an object lives longer
        "finalizers": not FINALIZERS.isdisjoint(names | known.keys()) or not imported <= PLAIN_MODULES or cleans_up(tree),
        "refused": refused[:1],
        "machine": sorted(machine),
        "libm": rounds(tree, call, mentioned, imported),
        "words": has_set or not WORDS.isdisjoint(names | known.keys()),
        "dates": [[f"datetime.{name}", known[name]] for name in sorted(known.keys() & DATES)] if dates else [],
    }


def rounds(tree, call, mentioned, imported):
    """Whether a float may come out of the C library's functions: of a name, a power of floats, complex numbers."""
    nodes = [*ast.walk(tree), *ast.walk(call)]
    names = {node.id for node in nodes if type(node) is ast.Name} | {node.attr for node in nodes if type(node) is ast.Attribute}
    constants = {type(node.value) for node in nodes if type(node) is ast.Constant}
    if any(module == "cmath" or (module == "math" and name not in EXACT) for module, name, _ in mentioned):
        return True
    if complex in constants or not names.isdisjoint(DRAWN | {"complex"}):
        return True
    operations = [node for node in nodes if isinstance(node, (ast.BinOp, ast.AugAssign))]
    operators = {type(node.op) for node in operations}
    if ast.Pow not in operators and names.isdisjoint(("pow", "__pow__")):
        return False
    if float in constants or ast.Div in operators or "float" in names or not imported.isdisjoint(FLOATS):
        return True
    exponents = [node.right if type(node) is ast.BinOp else node.value for node in operations if type(node.op) is ast.Pow]
    return any(type(node) is ast.USub for each in [*exponents, call] for node in ast.walk(each))


def cleans_up(tree):
    """Whether a generator or coroutine does something where it is closed, or a class where an object of it ends."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef) or (isinstance(node, ast.FunctionDef) and node.name == "__del__"):
            return True
        if isinstance(node, ast.FunctionDef):
            inside = list(ast.walk(node))
            yields = any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in inside)
            if yields and any(isinstance(each, (ast.Try, ast.With, getattr(ast, "TryStar", ast.Try))) for each in inside):
                return True
    return False


def asks_context(tree):
    """Whether the program may see which exception is being handled, other than by the name that it gives it."""
    nodes = list(ast.walk(tree))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return not CONTEXT.isdisjoint(attributes | {node.id for node in nodes if isinstance(node, ast.Name)})
