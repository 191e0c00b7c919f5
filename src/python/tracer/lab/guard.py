"""Isolates a program inside an interpreter. The sandbox around the interpreter is the host's task.

`seal()` permanently blocks access from a program to the interpreter's internals: foreign functions, the bridge
to JavaScript, other interpreters, which have no such hook, lists of all objects and of all frames. It prevents a program from
changing its outcome by accident or by the usual tricks; no verdict depends on it (src/python/sandbox/verdict.ts).
"""

import sys

CLOSED_MODULES = frozenset(
    ["ctypes", "_ctypes", "_ctypes_test", "_cffi_backend", "_testcapi", "_testinternalcapi", "_testlimitedcapi"]
    + ["_testbuffer", "_testclinic", "_testclinic_limited", "_testmultiphase", "_testsinglephase", "_xxtestfuzz"]
    + ["_remote_debugging"]
    + ["_xxsubinterpreters", "_xxinterpchannels", "_interpreters", "_interpchannels", "_interpqueues"]
    + ["js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "pyodide_js._api"]
)
CLOSED_EVENTS = frozenset(
    """gc.get_objects gc.get_referrers gc.get_referents sys._current_frames sys._current_exceptions sys.remote_exec
    sys.monitoring.register_callback cpython.PyInterpreterState_New""".split()
)
listeners = []
"""Functions that hear the name of a closed module that is asked for."""
closed_calls = []
"""Functions that hear the name of a closed call."""
heard = {"classes": 0, "hooks": 0}
"""How often the class of an object or the name of a class was changed, and how often an audit hook was added."""
CHANGES = {"object.__setattr__": "classes", "object.__delattr__": "classes", "sys.addaudithook": "hooks"}
_PREFIXES = ("pyodide.", "_pyodide.", "ctypes.", "js.")


def seal():
    """Cannot be undone: an audit hook stays for the life of the interpreter."""
    for name in list(sys.modules):
        if name in CLOSED_MODULES or name.startswith(_PREFIXES):
            del sys.modules[name]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not _bridges(finder)]
    for name in ("_settraceallthreads", "_setprofileallthreads"):  # since 3.12: hooks on the thread that answers
        if hasattr(sys, name):
            delattr(sys, name)

    # The defaults are the hook's own: a program can replace the names of this module, not these.
    def hook(
        event,
        arguments,
        modules=CLOSED_MODULES,
        events=CLOSED_EVENTS,
        Closed=ModuleNotFoundError,
        text=str,
        type=type,
        listeners=listeners,
        calls=closed_calls,
        changes=CHANGES,
        heard=heard,
    ):
        if event == "import":
            name = arguments[0]
            # another class may define a hash; for x._ctypes the last part is loaded from a library
            if type(name) is not text or name in modules or name.rpartition(".")[2] in modules:
                for hear in listeners if type(name) is text else ():
                    hear(name)
                raise Closed(f"No module named {text.__repr__(name)} in the sandbox", name=name)
        elif event in events or event[:7] == "ctypes.":
            for hear in calls:
                hear(event)
            raise RuntimeError(f"{event} is closed in the sandbox")
        elif event in changes:
            heard[changes[event]] += 1

    sys.addaudithook(hook)


def list_closed(path):
    """For the host, which takes them out of the interpreter's table of built-in modules: some ways to it raise no event."""
    sys.builtin_module_names = tuple(name for name in sys.builtin_module_names if name not in CLOSED_MODULES)
    with open(path, "w") as file:
        file.write(" ".join(CLOSED_MODULES))


def _bridges(finder):
    return (getattr(type(finder), "__module__", "") or "").startswith(("_pyodide", "pyodide"))
