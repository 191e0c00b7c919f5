"""Function names that say nothing: the arm of an experiment in which a model cannot read the answer off a name.

    def count_even(xs): ...   called as count_even([2])     becomes     def f(xs): ...   f([2])

The function that is called becomes f, the others g, h, ...; names that the program uses already are passed over. Renamed is what
refers to the module's function; methods, parameters, keywords and strings are left alone. Where the program then ends otherwise
(it looks a function up by its name, or prints the name), the operation `anonymous` searches for the names that may be exchanged:
the original runs once, then the program with all names exchanged, and halves of them as long as its end differs.
"""

import ast

from lab.entry import Next
from lab.environment import begin
from lab.job import kind_of
from lab.probes import watched_eval, watched_exec
from lab.program import Call, Program, place_of
from lab.results import NoLiteral, told, way_of
from lab.run import HOST
from lab.script import Output, inputs_of, main_module
from lab.scopes import COMPREHENSIONS, DEFINITIONS, FUNCTIONS, children, names_in, outer_parts, scope_of, walk
from lab.values import Bounds, write_value

LETTERS = "fghpqrstuvw"


def handle(request):
    try:
        return search_step(request)
    except RecursionError:
        reason = "the program is nested too deeply for another name of its functions; trace it without --anonymous"
        return request["record"] | {"reason": reason}


def search_step(request):
    """One run of the search. `names` may be exchanged, of `groups` the first is tried with them."""
    source, call, options, search = request["source"], request["call"], request["options"], request["search"]
    names, groups = search["names"], search["groups"]
    tried = names + groups[0] if "end" in search else []
    end = end_of(*without_names(source, call, search["functions"], tried))
    if "end" not in search:
        search["end"] = end
    elif end == search["end"]:
        search["names"] = tried
        groups.pop(0)
    else:
        group = groups.pop(0)
        half = len(group) // 2
        groups[:0] = [group[:half], group[half:]] if half else []
    if groups:
        return Next("anonymous", source=source, call=call, options=options, search=search, record=request["record"], **inputs_of(request))
    source, call = without_names(source, call, search["functions"], search["names"])
    return Next("trace", source=source, call=call, options={**options, "anonymous": False}, **inputs_of(request))


def search_names(job, program, entry):
    """The request that begins the search, the function that is called first; None where the program has no functions."""
    functions = [node.name for node in program.tree.body if isinstance(node, DEFINITIONS[:2])]
    functions = [*dict.fromkeys([entry, *functions] if entry else functions)]
    if not functions:
        return None
    search = {"functions": functions, "names": [], "groups": [functions]}
    return Next("anonymous", source=job.source, call=job.call, options=job.given, search=search, record=job.record, **job.inputs)


def end_of(source, call):
    """How the call ends: its result as a trace would tell it, or its exception, and what was printed."""
    try:
        program = Program(source)
        Call(call, ())
    except SyntaxError as error:
        return {"error": ["SyntaxError", str(error)]}
    begin()
    namespace = main_module(source, program.path)
    code = program.code
    expression = program.constants.share(compile(call.strip(), "<call>", "eval", dont_inherit=True))
    end = {}
    with Output() as output:
        try:
            watched_exec(code, namespace)
            value = watched_eval(expression, namespace)
            end["result"] = write_value(value, Bounds())[0]
            end["told"] = told(value, way_of(value))
        except HOST:
            raise
        except NoLiteral:
            pass  # it has no text that could name a function
        except BaseException as error:
            end["error"] = [*kind_of(error), write_value(BaseException.args.__get__(error), Bounds())[0]]
    return {**end, "output": output.text()}


def without_names(source, call, functions, names):
    """Source and call with those of the `functions` renamed that are among `names`."""
    program, called = Program(source), Call(call, ())
    in_program = References(program.tree, program.text)
    in_call = References(ast.parse(called.text, mode="eval"), called.lines)
    renamed = [name for name in functions if name in names and name not in in_program.unclear | in_call.unclear]
    taken = (names_in(program.tree) | names_in(called.expression())) - set(renamed)
    letters = [name for name in [*LETTERS, *[f"f{i}" for i in range(1, 1_000)]] if name not in taken]
    new = dict(zip(renamed, letters))
    return replaced(program.text, in_program.places, new), replaced(called.lines, in_call.places, new)


def replaced(text, places, names):
    lines = list(text.lines)
    for row, column, name in sorted(places, reverse=True):
        if name in names:
            line = lines[row - 1]
            lines[row - 1] = line[:column] + names[name].encode() + line[column + len(name.encode()) :]
    return b"\n".join(lines).decode()


class References:
    """Places of the module's names: (line, column in bytes, name). `unclear`: names bound in a way that has no separate place."""

    def __init__(self, tree, text):
        self.text = text
        self.places, self.unclear = set(), set()
        self.visit(tree, frozenset())

    def note(self, name, row, column):
        """Notes a place if the name is there: inside of an f-string Python before 3.12 reports another place."""
        if self.text.lines[row - 1][column:].startswith(name.encode()):
            self.places.add((row, column, name))
        else:
            self.unclear.add(name)

    def visit(self, node, bound):
        """`bound` are the names of the functions around the node."""
        kind = type(node)
        if kind is ast.Name:
            if node.id not in bound:
                self.note(node.id, *place_of(node)[:2])
        elif kind in DEFINITIONS:
            self.definition(node, bound)
        elif kind is ast.Lambda:
            self.inside(outer_parts(node), bound)
            self.visit(node.body, bound | scope_of(node).bound)
        elif kind in COMPREHENSIONS:
            targets = {part.id for each in node.generators for part in walk(each.target) if type(part) is ast.Name}
            self.visit(node.generators[0].iter, bound)
            self.inside([child for child in children(node) if child is not node.generators[0]], bound | targets)
            self.inside([node.generators[0].target, *node.generators[0].ifs], bound | targets)
        elif kind in (ast.Global, ast.Nonlocal):
            self.unclear.update(node.names)
        else:
            if kind in (ast.Import, ast.ImportFrom):
                self.unclear.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
            elif kind in (ast.ExceptHandler, ast.MatchAs, ast.MatchStar):
                self.unclear.add(node.name)
            elif kind is ast.MatchMapping:
                self.unclear.add(node.rest)
            self.inside(children(node), bound)

    def definition(self, node, bound, around=frozenset()):
        """`around` are the names of the class around it, which what is evaluated with the definition sees, and its body does not."""
        own = scope_of(node)
        if node.name not in bound | around:
            self.name_of(node)
        self.inside(outer_parts(node), bound | around)
        if isinstance(node, FUNCTIONS):
            self.annotations(node, bound | around)
            self.inside(node.body, (bound | own.bound) - own.globals)
            return
        for each in node.body:
            if isinstance(each, DEFINITIONS):
                self.definition(each, bound, own.bound)
            else:
                self.visit(each, bound | own.bound)
            # whether such a name is the class's or the module's depends on what has run
            parts = outer_parts(each) if isinstance(each, DEFINITIONS) else [each]
            self.unclear.update(part.id for outer in parts for part in walk(outer) if type(part) is ast.Name and part.id in own.bound)

    def annotations(self, node, bound):
        args = node.args
        every = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
        parts = [node.returns, *[each.annotation for each in every if each is not None]]
        self.inside([part for part in parts if part is not None], bound)

    def name_of(self, node):
        row, column = place_of(node)[:2]
        words = self.text.lines[row - 1][column:].split(node.name.encode(), 1)[0]
        plain = words.split() in ([b"def"], [b"async", b"def"], [b"class"])
        self.note(node.name, row, column + len(words) if plain else 0)

    def inside(self, nodes, bound):
        for node in nodes:
            self.visit(node, bound)
