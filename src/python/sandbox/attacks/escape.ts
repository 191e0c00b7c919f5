/** @file Programs that reach for what is outside: files, the network, the environment, other programs, JavaScript, memory. */

import type { Attack } from "./attack.ts";

/** Python's literal for a string; JSON's is one too. */
const quote = (text: string) => JSON.stringify(text);

/** Ways to a module that is closed; of some of them no event tells. */
const ways: Readonly<Record<string, readonly string[]>> = {
  "_imp.create_builtin": [
    "found = _imp.create_builtin(ModuleSpec(name, None))",
    "if found is not None: _imp.exec_builtin(found)",
    "return found",
  ],
  "the loader of built-in modules": [
    "found = importlib.util.module_from_spec(ModuleSpec(name, BuiltinImporter))",
    "BuiltinImporter.exec_module(found)",
    "return found",
  ],
  "a name of a class of its own": [
    "class Name(str): pass",
    "return _imp.create_builtin(ModuleSpec(Name(name), None))",
  ],
  "a spec that changes its name": [
    "class Spec:",
    "    names = [name] * 9 + ['math'] * 9",
    "    origin = loader = None",
    "    name = property(lambda self: self.names.pop())",
    "found = _imp.create_builtin(Spec())",
    "return found if found is not None and hasattr(found, 'dlopen') else None",
  ],
  "the loader of extensions": [
    "folder = next((path for path in sys.path if path.endswith('lib-dynload')), '/')",
    "for path in glob.glob(f'{folder}/{name}.*') or [f'/lib/{name}.so']:",
    "    return importlib.util.module_from_spec(ModuleSpec(name, ExtensionFileLoader(name, path), origin=path))",
  ],
  "_imp.create_dynamic": [
    "folder = next((path for path in sys.path if path.endswith('lib-dynload')), '/')",
    "for path in glob.glob(f'{folder}/{name}.*') or [f'/lib/{name}.so']:",
    "    return _imp.create_dynamic(ModuleSpec('a.b.' + name, None, origin=path))",
  ],
  "frozen modules": ["found = _imp.init_frozen(name)", "return found"],
  "modules that were there": [
    "return next((each for key, each in sys.modules.items() if key == name or getattr(each, '__name__', '') == name), None)",
  ],
  "other modules that hold it": [
    "return next((v for m in list(sys.modules.values()) for v in list(vars(m).values()) if type(v) is type(sys) and v.__name__ == name), None)",
  ],
  "an interpreter in the interpreter": [
    "import _testcapi",
    "_testcapi.run_in_subinterp('import sys; sys.modules[\"_ctypes\"]')",
    "return _testcapi",
  ],
};

export const reaching: readonly Attack[] = [
  {
    name: "file outside, read",
    code: ({ file }) => `open(${quote(file)}).read()`,
    right: ["raised FileNotFoundError", "raised PermissionError"],
  },
  {
    name: "file outside, written",
    code: ({ folder }) => `open(${quote(`${folder}/written`)}, "w").write("x")`,
    right: ["raised FileNotFoundError", "raised PermissionError", "raised OSError"],
  },
  {
    name: "file of the system, read",
    code: () => "open('/etc/passwd').read()",
    right: ["raised FileNotFoundError"],
  },
  {
    name: "memory of processes, read",
    code: () => "open('/proc/self/mem', 'rb').read(1)",
    right: ["raised FileNotFoundError"],
  },
  {
    name: "full disk",
    code: () => "for n in range(1000): open(f'/tmp/{n}', 'wb').write(b'x' * 10**7)",
    right: ["raised OSError"],
  },
  {
    name: "network",
    code: ({ port }) => `import socket\nsocket.create_connection(("127.0.0.1", ${port}), 1)`,
    right: ["raised ConnectionRefusedError", "raised OSError", "raised gaierror", "raised PermissionError"],
  },
  {
    name: "environment variable",
    code: ({ variable }) => `import os\nos.environ[${quote(variable)}]`,
    right: ["raised KeyError"],
  },
  {
    name: "program outside, started",
    code: ({ folder }) =>
      `import subprocess\nsubprocess.run(["/bin/sh", "-c", "echo x > ${folder}/started"], check=True)`,
    right: { native: ["raised CalledProcessError"], embedded: ["raised OSError"] },
  },
  {
    name: "shell found through a chain of classes",
    code: ({ folder }) =>
      [
        "found = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close']",
        `assert found[0].__init__.__globals__["system"]("echo x > ${folder}/shell") == 0`,
      ].join("\n"),
    right: ["assertion"],
  },
  { name: "import js", code: () => "import js\njs.process.exit(0)", right: ["raised ModuleNotFoundError"] },
  {
    name: "constructor chain of JavaScript",
    code: () =>
      [
        "import importlib",
        "core = importlib.import_module('_pyodide_core')",
        "core.create_proxy([]).constructor.constructor('return process')().exit(0)",
      ].join("\n"),
    right: ["raised ModuleNotFoundError"],
  },
  {
    name: "code of JavaScript, run",
    code: () =>
      "import importlib\nimportlib.import_module('_pyodide_core')\nimportlib.import_module('pyodide.code').run_js('1')",
    right: ["raised ModuleNotFoundError"],
  },
  { name: "ctypes", code: () => "import ctypes\nctypes.string_at(0)", right: ["raised ModuleNotFoundError"] },
  {
    name: "ctypes by another door",
    code: () => "import importlib\nimportlib.import_module('_ctypes').dlopen(None, 0)",
    right: ["raised ModuleNotFoundError"],
  },
  ...Object.entries(ways).map(
    ([way, load]): Attack => ({
      name: `closed modules, by ${way}`,
      code: () =>
        [
          "import _imp, glob, importlib, importlib.util, os, sys",
          "from importlib.machinery import BuiltinImporter, ExtensionFileLoader, FrozenImporter, ModuleSpec, PathFinder",
          "closed = '_ctypes _testcapi _testinternalcapi _testlimitedcapi _xxsubinterpreters _interpreters _pyodide_core js pyodide'.split()",
          "def load(name):",
          ...load.map((line) => `    ${line}`),
          "found = []",
          "for name in closed:",
          "    try: found.append(getattr(load(name), '__name__', None))",
          "    except (ImportError, AttributeError, KeyError, RuntimeError, ValueError, TypeError): pass",
          "assert [name for name in found if name is not None]",
        ].join("\n"),
      right: ["assertion"],
    }),
  ),
];
