"""A syntax error: the interpreter's message, and the part of the text it points at.

    def f(n:      {"type": "SyntaxError", "message": "'(' was never closed", "in": "program",
         ^         "place": {"line": 1, "column": 6, "endLine": 1, "endColumn": 7, "text": "def f(n:"}}

Columns count characters from 1; the end is exclusive, and may be one past the line's.
"""


def syntax_problem(error, source, call):
    inside = "call" if error.filename == "<call>" else "program"
    problem = {"type": type(error).__name__, "message": error.msg, "in": inside, "place": None}
    if error.lineno:
        problem["place"] = place_of(error, call.strip() if inside == "call" else source)
    return problem


def place_of(error, text):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    shown = error.text
    if shown is None:  # the compiler's, which counts bytes; the parser gives its line and counts characters
        shown = lines[min(error.lineno, len(lines)) - 1]
        offset, end = characters(shown, error.offset), error.end_offset
        if error.end_lineno == error.lineno:
            end = characters(shown, end)
        elif error.end_lineno and error.end_lineno <= len(lines):
            end = characters(lines[error.end_lineno - 1], end)
    else:
        shown = shown.removesuffix("\n")
        offset, end = error.offset, error.end_offset
    column = min(max(offset or 1, 1), len(shown) + 1)
    end_line, end_column = error.end_lineno or error.lineno, end or 0
    if (end_line, end_column) <= (error.lineno, column):  # a place without an extent
        end_line, end_column = error.lineno, column + 1
    return {"line": error.lineno, "column": column, "endLine": end_line, "endColumn": end_column, "text": shown}


def characters(line, offset):
    """The column, in characters, of a byte of the line's UTF-8, both counted from 1."""
    return len(line.encode()[: max(offset or 1, 1) - 1].decode(errors="ignore")) + 1


def syntax_reason(problem):
    """One sentence."""
    place = problem["place"]
    where = "the call" if problem["in"] == "call" else place and f"line {place['line']}"
    return f"{problem['message']}, {where}" if where else problem["message"]
