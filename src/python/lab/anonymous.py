"""Function names that say nothing: the arm of an experiment in which a model cannot read the answer off a name.

    def count_even(xs): ...   called as count_even([2])     becomes     def f(xs): ...   f([2])

The function that is called becomes f, the others g, h, ...; names that the program uses already are passed over.
"""

import io
import keyword
import tokenize

from lab.scopes import names_in

LETTERS = "fghpqrstuvw"


def without_names(source, call, tree, entry):
    """Source and call with every function of the module renamed; strings and attributes are left alone."""
    functions = [entry, *[node.name for node in tree.body if hasattr(node, "args") and node.name != entry]]
    taken = names_in(tree) - set(functions)
    letters = iter([name for name in [*LETTERS, *[f"f{i}" for i in range(1, 1_000)]] if name not in taken])
    names = {name: next(letters) for name in dict.fromkeys(functions)}
    return replaced(source, names), replaced(call, names)


def replaced(text, names):
    lines = text.split("\n")
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type != tokenize.NL]
    for before, token in reversed([*zip([None, *tokens], tokens)]):
        plain = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        if plain and token.string in names and not (before and before.string == "."):
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + names[token.string] + line[token.end[1] :]
    return "\n".join(lines)
