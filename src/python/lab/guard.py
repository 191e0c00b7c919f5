"""What keeps a program to itself inside an interpreter. The walls around the interpreter are the host's, not these.

`seal()` closes for good the ways that lead from a program to the interpreter's inside: foreign functions, the bridge
to JavaScript, lists of all objects and of all frames. `Baseline().restore()` puts back, in an interpreter that goes on
to run other programs, what a program changed outside of itself, and names it.
"""

import gc
import os
import random
import sys
import warnings
from itertools import chain, count
from operator import attrgetter, is_
from types import FunctionType, ModuleType

try:
    import decimal
except ImportError:  # a Python built without it
    decimal = None

CLOSED_MODULES = frozenset(
    ["ctypes", "_ctypes", "js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "pyodide_js._api"]
)
CLOSED_EVENTS = frozenset(
    [
        "gc.get_objects",
        "gc.get_referrers",
        "gc.get_referents",
        "sys._current_frames",
        "sys._current_exceptions",
        "sys.remote_exec",
        "sys.monitoring.register_callback",
    ]
)
_MISSING = object()
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class whose attributes can be set
_PREFIXES = ("pyodide.", "_pyodide.", "ctypes.", "js.")


def seal():
    """Cannot be undone: an audit hook stays for the life of the interpreter.

    Gives a count of how often the inside of a function was set. It goes forward only, whoever gets hold of it.
    """
    for name in list(sys.modules):
        if name in CLOSED_MODULES or name.startswith(_PREFIXES):
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not _bridges(finder)]
    for name in ("_settraceallthreads", "_setprofileallthreads"):  # since 3.12: hooks on the thread that answers
        if hasattr(sys, name):
            delattr(sys, name)

    touched = count()

    # The defaults are the hook's own: a program can replace the names of this module, not these.
    def hook(
        event,
        arguments,
        modules=CLOSED_MODULES,
        events=CLOSED_EVENTS,
        Closed=ModuleNotFoundError,
        touch=touched.__next__,
    ):
        if event == "object.__setattr__" or event == "object.__delattr__":
            touch()
        elif event == "import":
            if arguments[0] in modules:
                raise Closed(f"No module named {arguments[0]!r} in the sandbox", name=arguments[0])
        elif event in events or event[:7] == "ctypes.":
            raise RuntimeError(f"{event} is closed in the sandbox")

    sys.addaudithook(hook)
    return touched


def _bridges(finder):
    return (getattr(type(finder), "__module__", "") or "").startswith(("_pyodide", "pyodide"))


class Baseline:
    """The interpreter as it is now: every module, class and function by identity, and the state that hides in C."""

    def __init__(self, touched):
        self.modules = dict(sys.modules)
        modules = [(name, module) for name, module in self.modules.items() if type(module) is ModuleType]
        self.attributes = [Contents(name, vars(module)) for name, module in modules]
        values = {id(value): value for module in self.attributes for value in module.before.values()}.values()
        heap_types = [value for value in values if isinstance(value, type) and value.__flags__ & _HEAP_TYPE]
        self.classes = [(cls, Contents(f"{cls.__module__}.{cls.__qualname__}", vars(cls))) for cls in heap_types]
        self.functions = [value for value in values if type(value) is FunctionType]
        self.insides = [_inside(function) for function in self.functions]
        self.keywords = [
            Contents(f"{function.__module__}.{function.__qualname__}", keywords)
            for function, (_, _, keywords) in zip(self.functions, self.insides)
            if keywords
        ]
        self.flat_keywords = Flat([contents.now for contents in self.keywords])
        self.flat_attributes = Flat([module.now for module in self.attributes])
        self.flat_classes = Flat([contents.now for _, contents in self.classes])
        self.lists = [
            Elements(name, value)
            for name, value in {
                "sys.path": sys.path,
                "sys.meta_path": sys.meta_path,
                "sys.path_hooks": sys.path_hooks,
                "sys.argv": sys.argv,
                "warnings.filters": warnings.filters,
            }.items()
        ]
        self.touched, self.untouched = touched, repr(touched)
        self.environment = dict(os.environ)
        self.settings = [(name, read, write, read()) for name, read, write in _settings()]
        folders = {os.getcwd(), "/tmp"}
        self.files = {folder: set(os.listdir(folder)) for folder in folders if os.path.isdir(folder)}

    def restore(self):
        """The names of what was changed, each back as it was."""
        changed = self._stop_watchers()
        changed += self._restore_modules()
        changed += self._restore_classes()
        changed += self._restore_functions()
        for elements in self.lists:
            changed += elements.restore()
        if dict(os.environ) != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)
            changed.append("os.environ")
        for name, read, write, before in self.settings:
            if read() != before:
                write(before)
                changed.append(name)
        for folder, before in self.files.items():
            for name in os.listdir(folder):
                if name not in before:
                    _remove(os.path.join(folder, name))
                    changed.append(os.path.join(folder, name))
        return changed

    def _stop_watchers(self):
        """First of all: a hook left behind would see, and could change, the work of putting things back."""
        changed = []
        if sys.gettrace() is not None:
            sys.settrace(None)
            changed.append("sys.settrace")
        if sys.getprofile() is not None:
            sys.setprofile(None)
            changed.append("sys.setprofile")
        monitoring = getattr(sys, "monitoring", None)  # since 3.12
        for tool in range(6) if monitoring else ():
            if monitoring.get_tool(tool) is not None:
                monitoring.set_events(tool, 0)
                monitoring.free_tool_id(tool)
                changed.append("sys.monitoring")
        return changed

    def _restore_modules(self):
        changed = []
        if sys.modules.keys() != self.modules.keys() or any(
            sys.modules[name] is not module for name, module in self.modules.items()
        ):
            # Modules that a program loaded are dropped; only the program's own __main__ is no news.
            changed += [name for name in sys.modules if name not in self.modules]
            changed += [
                name
                for name, module in self.modules.items()
                if name != "__main__" and sys.modules.get(name) is not module
            ]
            sys.modules.clear()
            sys.modules.update(self.modules)
        for contents in () if self.flat_attributes.is_whole() else self.attributes:
            keys = contents.changed()
            if not keys:
                continue
            contents.restore()
            changed += [f"{contents.name}.{key}" for key in keys if f"{contents.name}.{key}" not in changed]
        return changed

    def _restore_classes(self):
        changed = []
        for cls, contents in () if self.flat_classes.is_whole() else self.classes:
            for key in contents.changed():
                if key in ("__annotations_cache__", "__annotate_func__", "__doc__"):
                    continue  # written by Python itself when they are first asked for
                if key in contents.before:
                    type.__setattr__(cls, key, contents.before[key])
                else:
                    type.__delattr__(cls, key)
                changed.append(f"{contents.name}.{key}")
        return changed

    def _restore_functions(self):
        changed = []
        for contents in () if self.flat_keywords.is_whole() else self.keywords:
            if contents.changed():
                contents.restore()
                changed.append(contents.name)
        if repr(self.touched) == self.untouched:
            return changed  # to look at each would itself raise an event for every look
        for function, before in zip(self.functions, self.insides):
            if any(now is not then for now, then in zip(_inside(function), before)):
                function.__code__, function.__defaults__, function.__kwdefaults__ = before
                changed.append(f"{function.__module__}.{function.__qualname__}")
        self.untouched = repr(self.touched)
        return changed


class Contents:
    """A dictionary as it was. By identity, never by `==`, which would ask the program's own objects."""

    def __init__(self, name, now):
        self.name, self.now, self.before = name, now, dict(now)

    def changed(self):
        now, before = self.now, self.before
        return [key for key in {*now, *before} if now.get(key, _MISSING) is not before.get(key, _MISSING)]

    def restore(self):
        self.now.clear()
        self.now.update(self.before)


class Flat:
    """Many dictionaries looked over in one pass, without a step of Python for each: nearly always nothing changed."""

    def __init__(self, dictionaries):
        self.views = [view for now in dictionaries for view in (now, now.values())]
        self.before = tuple(chain.from_iterable(self.views))

    def is_whole(self):
        return sum(map(len, self.views)) == len(self.before) and all(
            map(is_, chain.from_iterable(self.views), self.before)
        )


class Elements:
    """A list as it was."""

    def __init__(self, name, now):
        self.name, self.now, self.before = name, now, list(now)

    def restore(self):
        if len(self.now) == len(self.before) and all(map(is_, self.now, self.before)):
            return []
        self.now[:] = self.before
        return [self.name]


_inside = attrgetter("__code__", "__defaults__", "__kwdefaults__")


def _settings():
    """Name, how to read and how to write each setting that is in no module's dictionary."""
    yield "recursion limit", sys.getrecursionlimit, sys.setrecursionlimit
    yield "integer digits", sys.get_int_max_str_digits, sys.set_int_max_str_digits
    yield "random", random.getstate, random.setstate
    yield "working folder", os.getcwd, os.chdir
    yield "gc", gc.isenabled, lambda on: gc.enable() if on else gc.disable()
    yield "gc thresholds", gc.get_threshold, lambda values: gc.set_threshold(*values)
    if decimal is not None:
        yield "decimal", lambda: repr(decimal.getcontext()), lambda _: decimal.setcontext(decimal.DefaultContext.copy())


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        for name in os.listdir(path):
            _remove(os.path.join(path, name))
        os.rmdir(path)
    else:
        os.unlink(path)
