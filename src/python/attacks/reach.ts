/** @file Programs that reach for what is outside: files, the network, the environment, other programs, JavaScript, memory. */

import type { Attack } from "./attack.ts";

/** Python's literal for a string; JSON's is one too. */
const quote = (text: string) => JSON.stringify(text);

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
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed"] },
  },
  {
    name: "code of JavaScript, run",
    code: () =>
      "import importlib\nimportlib.import_module('_pyodide_core')\nimportlib.import_module('pyodide.code').run_js('1')",
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed", "raised ModuleNotFoundError"] },
  },
  { name: "ctypes", code: () => "import ctypes\nctypes.string_at(0)", right: ["raised ModuleNotFoundError"] },
  {
    name: "ctypes by another door",
    code: () => "import importlib\nimportlib.import_module('_ctypes').dlopen(None, 0)",
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed"] },
  },
];
