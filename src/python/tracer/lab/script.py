"""The program as `python3 FILE` runs it: the module `__main__` with its file, and what it writes to its standard output.

    main_module("print(__name__)", "/tmp/main.py")     its namespace; the file is there to be read
    with Output() as output: ...                       output.text() is what was printed, in the order in which it came out
"""

import builtins
import io
import sys
import types
from _blake2 import blake2b
from importlib import invalidate_caches
from importlib.machinery import PathFinder, SourceFileLoader
from os import O_APPEND, O_CREAT, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY, close, dup2, fstat, getcwd, makedirs, open as open_file, pread, unlink, write
from os.path import exists
from tokenize import detect_encoding

from lab.probes import watched_exec

MAIN = "__main__"
KEPT, CAPTURED = 62, 63
"""Descriptors: the real output, and the file that takes its place."""
PROBE = compile(
    """def down(n):
    try:
        return down(n + 1)
    except RecursionError:
        return n
left = down(2)
""",
    "<probe>",
    "exec",
)
FRAMES = 1_000
"""Python's limit of recursion."""
MOST = 2**23
"""Number of bytes of output that are compared."""
given = {}
"""The inputs of this run."""


INPUTS = ("stdin", "argv", "modules")


def inputs_of(request):
    return {name: request[name] for name in INPUTS if name in request}


def give_inputs(request):
    """What `python3 FILE ARGV < INPUT` gives the program: descriptor 0 reads a file, and `sys.stdin` is made as Python makes it.
    `main_module` passes the arguments on."""
    given.clear()
    given.update(inputs_of(request))
    if "stdin" not in given:
        return
    path = f"{getcwd()}/.input"
    with open(path, "wb") as file:
        file.write(given["stdin"].encode("utf-8", "surrogatepass"))
    descriptor = open_file(path, O_RDONLY)
    unlink(path)
    dup2(descriptor, 0)
    close(descriptor)
    buffer = open(0, "rb", closefd=False)
    buffer.raw.name = "<stdin>"
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(buffer, encoding="utf-8", errors=sys.stdout.errors, newline="\n")
    sys.stdin.mode = "r"


def path_of(name=None):
    """Path of the program's file."""
    return f"{getcwd().rstrip('/')}/{name or 'main.py'}"


def other_path_of(name=None):
    """Another possible path: output that changes with it depends on the path."""
    return f"{getcwd().rstrip('/')}/elsewhere/{name or 'program.py'}"


def main_module(source, path):
    """The namespace of a new `__main__`, whose text lies at `path`."""
    module = types.ModuleType(MAIN)
    if sys.version_info < (3, 14):
        module.__annotations__ = {}
    module.__builtins__ = builtins
    module.__loader__ = SourceFileLoader(MAIN, path)
    module.__file__, module.__cached__ = path, None
    sys.modules[MAIN] = module
    folder = path.rpartition("/")[0]
    sys.argv[:] = [path.removeprefix(f"{getcwd()}/"), *given.get("argv", ())]
    sys.orig_argv[:] = ["python3", *sys.argv]
    sys.path[:] = [folder, *[each for each in sys.path if each and each != folder]]
    try:
        if not exists(folder):
            makedirs(folder)
        write_file(path, source)
        write_modules(folder)
    except OSError:
        pass  # without room a program cannot read its own text
    return vars(module)


def write_modules(folder):
    """Writes the user's modules beside the program. Each run of it loads them anew."""
    modules = given.get("modules", {})
    for path, source in modules.items():
        parent = f"{folder}/{path}".rpartition("/")[0]
        if not exists(parent):
            makedirs(parent)
        write_file(f"{folder}/{path}", source)
    names = {path.partition("/")[0].removesuffix(".py") for path in modules}
    for name in [each for each in sys.modules if each.partition(".")[0] in names]:
        del sys.modules[name]
    if modules:
        invalidate_caches()
        sys.dont_write_bytecode = True
    for path in modules:  # the finders list the folders now, whose order is no matter of the program
        parent, _, name = f"{folder}/{path}".rpartition("/")
        PathFinder.find_spec(name.removesuffix(".py"), [parent])


def write_file(path, source):
    file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    write(file, encoded(source))
    close(file)


def encoded(source):
    """The bytes of the file, in the encoding that its first lines name."""
    if "coding" not in source:
        return source.encode("utf-8", "surrogatepass")
    lines = iter([line.encode("utf-8", "surrogatepass") for line in source.splitlines(keepends=True)[:2]])
    try:
        return source.encode(detect_encoding(lambda: next(lines, b""))[0])
    except (SyntaxError, UnicodeError, LookupError):
        return source.encode("utf-8", "surrogatepass")


def allow_frames(more=0):
    """As many frames as Python has for a program that the caller runs by `watched_exec`, and `more`: those of the lab do not count."""
    names = {}
    watched_exec(PROBE, names)
    left = names["left"] + 1  # one is this function's own
    sys.setrecursionlimit(sys.getrecursionlimit() + FRAMES + more - left)


class Output:
    """The output to descriptor 1 within the block. Python's buffers are flushed at the end, as at exit."""

    def __init__(self, limit=1_000_000):
        self.limit = limit
        self.seen = self.letters = 0
        self.content = b""
        self.stdout = sys.stdout

    def __enter__(self):
        self.stdout.flush()
        path = f"{getcwd()}/.output"
        file = open_file(path, O_RDWR | O_CREAT | O_APPEND, 0o600)
        unlink(path)
        dup2(1, KEPT, False)
        dup2(file, CAPTURED, False)
        dup2(file, 1)
        close(file)
        return self

    def __exit__(self, *error):
        for stream in (sys.stdout, self.stdout):
            flush(stream)
        self.content = self.taken(0, MOST + 1)
        dup2(KEPT, 1)
        close(KEPT)
        close(CAPTURED)

    def taken(self, start, most):
        """The bytes from `start` on; None where the program closed the file."""
        try:
            size = min(fstat(CAPTURED).st_size, start + most)
            parts = []
            while start < size:
                parts.append(pread(CAPTURED, size - start, start))
                start += len(parts[-1])
            return b"".join(parts)
        except OSError:
            return None

    def text(self):
        return (self.content or b"").decode("utf-8", "surrogateescape")[: self.limit]

    def digest(self):
        """A digest of the output; None if it is not known completely."""
        if self.content is None or len(self.content) > MOST:
            return None
        return blake2b(self.content, digest_size=16).hexdigest()

    def count(self):
        """How many characters of the text there are by now."""
        flush(self.stdout)
        new = self.taken(self.seen, MOST) or b""
        self.seen += len(new)
        self.letters += len(new) - sum(0x80 <= byte < 0xC0 for byte in new)
        return min(self.letters, self.limit)


def flush(stream):
    try:
        stream.flush()
    except BaseException:
        pass  # the program closed or replaced it
