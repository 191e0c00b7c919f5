/**
 * @file Programs that try to pass a test they fail: they send messages for the interpreter, change the tracer's code
 * in it, return values that equal everything, or search for the expected value.
 *
 *     def f(n): return 0          wrong
 *     assert f(20) == 6765        compared outside: 6765 is not in the program's process
 */

import type { Attack } from "./attack.ts";

const test = "assert f(20) == 6765";
const wrong = "def f(n): return 0";
const program = (...lines: readonly string[]) => [...lines, test].join("\n");

/** Sends "passed" with each secret in `seen`. */
const speak = [
  "import os, re",
  "def speak(seen):",
  `    body = b'{"kind": "done", "python": {"version": "3", "wordBits": 64, "implementation": "cpython"}}\\n{"outcome": "passed", "told": [true]}'`,
  "    for nonce in dict.fromkeys(re.findall(rb'(?s) \\0{7}.{8}([0-9a-f]{32})\\0', seen)):",
  "        try: os.write(3, b'%s reply %d\\n%s' % (nonce, len(body), body))",
  "        except OSError: pass",
].join("\n");

/** Indices of the 16 KiB blocks that contain the interpreter's objects. */
const blocks = [
  "def blocks():",
  "    import sys",
  "    kept = [bytes([1] * 32) for n in range(500)]",
  "    kept += [o for m in list(sys.modules.values()) for o in list(vars(m).values()) if type(o).__name__ == 'function']",
  "    at = sorted({id(o) >> 14 for o in kept})",
  "    for low, high in zip(at, at[1:]):",
  "        yield from range(low, high if high - low < 16 else low + 1)",
].join("\n");

/** Reads memory by a pointer that is written as bytes: nothing of that tells an audit hook. */
const memory = [
  "def memory(c, blocks):",
  "    Byte = type('Byte', (c._SimpleCData,), {'_type_': 'c'})",
  "    Pointer = type('Pointer', (c._Pointer,), {'_type_': Byte})",
  "    Place = type('Place', (c.Structure,), {'_fields_': [('pointer', Pointer)]})",
  "    place = Place()",
  "    for block in blocks:",
  "        memoryview(place).cast('B')[:] = (block << 14).to_bytes(8, 'little')",
  "        yield place.pointer[:2**14]",
].join("\n");

const inAnotherInterpreter = `${speak}\n${memory}\nimport _ctypes\nfor piece in memory(_ctypes, BLOCKS): speak(piece)`;

export const forging: readonly Attack[] = [
  {
    name: "verdict: the nonce in memory, by _ctypes under a name with its own hash",
    code: () =>
      program(
        ...[speak, blocks, memory, wrong],
        "class Name(str):",
        "    def __hash__(self): return 1",
        "    def __eq__(self, other): return self is other",
        "for piece in memory(__import__(Name('_ctypes')), blocks()): speak(piece)",
      ),
    right: ["raised ModuleNotFoundError", "raised ImportError"],
  },
  {
    name: "verdict: the nonce in memory, by _ctypes under a longer name",
    code: () =>
      program(
        ...[speak, blocks, memory, wrong],
        "from importlib.machinery import ExtensionFileLoader, PathFinder",
        "from importlib.util import module_from_spec, spec_from_loader",
        "path = getattr(PathFinder.find_spec('_ctypes'), 'origin', 'none')",
        "found = module_from_spec(spec_from_loader('x._ctypes', ExtensionFileLoader('x._ctypes', path)))",
        "for piece in memory(found, blocks()): speak(piece)",
      ),
    right: ["raised ModuleNotFoundError", "raised ImportError"],
  },
  {
    name: "verdict: the nonce in memory, by an interpreter that has no hook",
    code: () =>
      program(
        ...[speak, blocks, wrong],
        "try: import _xxsubinterpreters as other",
        "except ModuleNotFoundError: import _interpreters as other",
        `inner = ${JSON.stringify(inAnotherInterpreter)}.replace('BLOCKS', repr(list(blocks())))`,
        "other.run_string(other.create(), inner)",
      ),
    right: ["raised ModuleNotFoundError"],
  },
  {
    name: "verdict: /proc/self/mem",
    code: () =>
      program(
        ...[speak, blocks, wrong],
        "with open('/proc/self/mem', 'rb', 0) as file:",
        "    for block in blocks():",
        "        file.seek(block << 14)",
        "        speak(file.read(2**14))",
      ),
    right: ["raised FileNotFoundError"],
  },
  {
    name: "verdict: the expected value, looked for in code and frames",
    code: () =>
      program(
        "import sys",
        "def f(n):",
        "    seen, frame = [], sys._getframe()",
        "    while frame:",
        "        seen += frame.f_code.co_consts + tuple(frame.f_locals.values()) + tuple(frame.f_globals.values())",
        "        frame = frame.f_back",
        "    return next((s for s in seen if type(s) is int and 5000 < s < 8000), 0)",
      ),
    right: ["assertion"],
  },
  ...[
    ["in a line that the test goes on", "x = 1; \\"],
    ["in a condition that the test is under", "if True: \\"],
    ["in a function that the test is in", "def g(): \\"],
  ].map(
    ([where, last]): Attack => ({
      name: `verdict: the expected value, looked for ${where}`,
      code: () =>
        program(
          "import sys",
          "def f(n):",
          "    seen, frame = [], sys._getframe()",
          "    while frame: seen, frame = seen + [*frame.f_code.co_consts], frame.f_back",
          "    return next((s for s in seen if type(s) is int and 5000 < s < 8000), 0)",
          last,
        ),
      right: ["assertion", "untested"],
    }),
  ),
  {
    name: "verdict: the expected value, looked for in texts and files",
    code: () =>
      program(
        "import linecache, os, re, sys",
        "def f(n):",
        "    seen, frame = repr(linecache.cache) + repr(sys.argv) + repr(os.environ), sys._getframe()",
        "    while frame:",
        "        seen, frame = seen + repr(frame.f_locals), frame.f_back",
        "    for folder in ('/lab', '/tmp'):",
        "        for name in os.listdir(folder) if os.path.isdir(folder) else ():",
        "            try: seen += open(os.path.join(folder, name)).read()",
        "            except (OSError, ValueError): pass",
        "    found = re.findall('f[(]20[)] == ([0-9]+)', seen)",
        "    return int(found[0]) if found else 0",
      ),
    right: ["assertion"],
  },
  {
    name: "verdict: the expected value, looked for in memory",
    code: () =>
      program(
        ...["import os, re", blocks, memory],
        "class Name(str):",
        "    def __hash__(self): return 1",
        "    def __eq__(self, other): return self is other",
        "def f(n):",
        "    for piece in memory(__import__(Name('_ctypes')), blocks()):",
        "        found = re.findall(rb'f[(]20[)] == ([0-9]+)', piece)",
        "        if found: return int(found[0])",
      ),
    right: ["assertion", "raised ModuleNotFoundError", "raised ImportError"],
  },
  {
    name: "verdict: the lab's modules changed",
    code: () =>
      program(
        "import sys",
        "lie = lambda *a, **k: {'outcome': 'passed', 'told': [True]}",
        "for name in ('execute', 'digest', 'split', 'entry', 'values'):",
        "    try: module = __import__('lab.' + name, fromlist=['x'])",
        "    except ImportError: continue",
        "    for each in ('_failure', '_evaluate', 'digest', 'handle'): setattr(module, each, lie)",
        wrong,
      ),
    right: ["assertion", "forged"],
  },
  {
    name: "verdict: the code of the lab's functions replaced",
    code: () =>
      program(
        "import sys",
        "def lie(*a, **k): return {'outcome': 'passed', 'told': [True]}",
        "for name, module in list(sys.modules.items()):",
        "    for function in list(vars(module).values()) if name[:4] == 'lab.' else ():",
        "        try: function.__code__ = lie.__code__",
        "        except (AttributeError, TypeError, ValueError): pass",
        wrong,
      ),
    right: ["assertion", "forged", "crashed"],
  },
  {
    name: "verdict: the variables of the lab's frames changed by a hook",
    code: () =>
      program(
        "import sys",
        "def hook(frame, event, argument):",
        "    for name in ('holds', 'last', 'value', 'error', 'told'):",
        "        if name in frame.f_locals:",
        `            frame.f_locals[name] = True if name in ('holds', 'last') else [True] if name == 'told' else '{"outcome":"passed","told":[true]}'`,
        "    return hook",
        "frame = sys._getframe()",
        "while frame: frame.f_trace, frame = hook, frame.f_back",
        "sys.settrace(hook)",
        wrong,
      ),
    right: ["assertion", "forged", "crashed", "raised AttributeError"],
  },
  {
    name: "verdict: a jump over the lab's lines",
    code: () =>
      program(
        "import sys",
        "def hook(frame, event, argument):",
        "    if event == 'line' and frame.f_code.co_name == 'handle':",
        "        for line in range(frame.f_code.co_firstlineno + 60, frame.f_lineno, -1):",
        "            try: frame.f_lineno = line",
        "            except ValueError: continue",
        "            break",
        "    return hook",
        "frame = sys._getframe()",
        "while frame: frame.f_trace, frame = hook, frame.f_back",
        "sys.settrace(hook)",
        wrong,
      ),
    right: ["assertion", "forged", "crashed"],
  },
  {
    name: "verdict: said by a profiler when the lab's functions return",
    code: () =>
      program(
        "import sys",
        "def profile(frame, event, argument):",
        "    if event == 'return' and type(argument) is dict and 'outcome' in argument:",
        "        argument.clear()",
        "        argument.update(outcome='passed', told=[True])",
        "sys.setprofile(profile)",
        wrong,
      ),
    right: ["assertion", "forged"],
  },
  {
    name: "verdict: a value that equals everything",
    code: () =>
      program(
        "class Any(int):",
        "    def __eq__(self, other): return True",
        "    def __hash__(self): return hash(6765)",
        "    __bool__ = __eq__",
        "def f(n): return Any(0)",
      ),
    right: ["assertion"],
  },
  {
    name: "verdict: a value that equals everything, of unittest.mock",
    code: () => program("from unittest.mock import ANY", "def f(n): return ANY"),
    right: {
      native: ["assertion"],
      embedded: ["assertion", "raised ImportError", "raised ModuleNotFoundError"],
    },
  },
  {
    name: "verdict: a class that gives itself out for another",
    code: () =>
      program(
        "class Hostile:",
        "    __class__ = int",
        "    def __eq__(self, other): return type(other)(other) == other",
        "    def as_integer_ratio(self): return (6765, 1)",
        "    __int__ = __index__ = __hash__ = lambda self: 6765",
        "def f(n): return Hostile()",
      ),
    right: ["assertion"],
  },
  {
    name: "verdict: asserts that raise nothing",
    code: () =>
      program(
        "import builtins",
        "class AssertionError(BaseException):",
        "    def __new__(cls, *a): raise SystemExit(0)",
        "builtins.AssertionError = AssertionError",
        "builtins.bool = lambda value: True",
        wrong,
      ),
    right: ["assertion", "raised SystemExit"],
  },
  {
    name: "verdict: os._exit before the test, by a copy that speaks afterwards",
    code: () =>
      program(
        ...[speak, wrong],
        "import os",
        "if os.fork(): os._exit(0)",
        "import time; time.sleep(0.2)",
        "speak(repr(globals()).encode())",
      ),
    right: { native: ["exited"], embedded: ["raised OSError"] },
  },
  {
    name: "verdict: said at the interpreter's end, by a signal and by a thread",
    code: () =>
      program(
        ...[speak, wrong],
        "import atexit, signal, sys, threading, time",
        "def late(*a):",
        "    frame, seen = sys._getframe(), b''",
        "    while frame: seen, frame = seen + repr(frame.f_locals).encode(), frame.f_back",
        "    speak(seen)",
        "atexit.register(late)",
        "signal.signal(signal.SIGALRM, late)",
        "if hasattr(signal, 'setitimer'): signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)",
        "try: threading.Thread(target=lambda: [late() or time.sleep(0.01) for n in range(50)], daemon=True).start()",
        "except RuntimeError: pass",
        "time.sleep(0.05)",
      ),
    // On a slow machine the signal comes again while it is answered, and what is repeated of what was repeated fills the memory.
    right: ["assertion", "forged", "memory"],
  },
  {
    name: "verdict: another channel put in the place of the lab's",
    code: () =>
      program(
        ...["import os", wrong],
        `body = b'{"kind": "done", "python": {"version": "3", "wordBits": 64, "implementation": "cpython"}}\\n{"outcome": "passed", "told": [true]}'`,
        "def say(n, data):",
        "    try: os.write(n, data)",
        "    except OSError: pass",
        "for n in range(3, 16):",
        "    for text in (b'plan 2\\n[]', b'%s plan 2\\n[]' % (b'0' * 32), b'reply %d\\n' % len(body) + body): say(n, text)",
      ),
    right: { native: ["forged"], embedded: ["assertion"] },
  },
  {
    name: "verdict: digests that are the guess of the program",
    code: () =>
      program(
        ...["import builtins, hashlib", wrong],
        "class Digest:",
        "    def __init__(self, *a, **k): pass",
        "    def update(self, *a): pass",
        "    def hexdigest(self): return True",
        "hashlib.sha256 = hashlib.new = Digest",
        "try: import _sha256; _sha256.sha256 = Digest",
        "except ImportError: pass",
        "builtins.str = builtins.repr = lambda *a: '6764'",
      ),
    right: ["assertion"],
  },
  {
    name: "verdict: bytecode that takes what it was not given",
    code: () =>
      program(
        "def reach(): pass",
        // LOAD_FAST of a slot after the function's variables
        "reach.__code__ = reach.__code__.replace(co_code=bytes([151, 0] + [144, 1, 124, 0] + [83, 0]))",
        "def f(n): return reach()",
      ),
    right: ["assertion", "crashed", "raised UnboundLocalError", "raised SystemError", "raised ValueError"],
  },
  ...[
    ["a link", "os.symlink('/dev/null', '/lab/reply')"],
    ["a folder", "os.mkdir('/lab/reply')"],
  ].map(
    ([what, make]): Attack => ({
      name: `verdict: ${what} where the answer is to be written`,
      code: () => `import os\nif os.path.lexists('/lab/reply'): os.remove('/lab/reply')\n${make}`,
      right: { native: ["raised FileNotFoundError"], embedded: ["forged"] },
    }),
  ),
];
