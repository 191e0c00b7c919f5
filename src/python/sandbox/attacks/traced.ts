/** @file Programs that are traced, and turn against the tracer. */

import type { Attack } from "./attack.ts";

export const beingTraced: readonly Attack[] = [
  {
    name: "traced: methods that must never be called",
    code: () =>
      [
        "import os",
        "class Hostile:",
        "    def __repr__(self, *arguments): os._exit(3)",
        "    __str__ = __eq__ = __hash__ = __format__ = __len__ = __bool__ = __iter__ = __reduce_ex__ = __repr__",
        "    __getattribute__ = __copy__ = __deepcopy__ = __sizeof__ = __dir__ = __lt__ = __contains__ = __repr__",
        "def f():",
        "    hostile = Hostile()",
        "    nested = [hostile, {1: (hostile,)}]",
        "    return 1",
      ].join("\n"),
    trace: "f()",
    right: ["proven"],
  },
  {
    name: "traced: hooks taken away",
    code: () => "import sys\ndef f(n):\n    sys.settrace(None)\n    n += 1\n    return n",
    trace: "f(1)",
    right: ["not proven"],
  },
  {
    name: "traced: infinite loop in one line",
    code: () => "def f(n):\n    while True: pass",
    trace: "f(1)",
    limits: { wallSeconds: 1 },
    right: ["time", "not proven"],
  },
  {
    name: "traced: the tracer's own variables changed",
    code: () =>
      [
        "import sys",
        "def f(n):",
        "    frame = sys._getframe().f_back",
        "    while frame:",
        "        for name in list(frame.f_locals): frame.f_locals[name] = None",
        "        frame = frame.f_back",
        "    return n",
      ].join("\n"),
    trace: "f(1)",
    right: ["not proven", "crashed"],
  },
  {
    name: "traced: builtins replaced",
    code: () =>
      [
        "import builtins",
        "def f(n):",
        "    for name in ('len', 'type', 'str', 'isinstance', 'repr', 'dict', 'list', 'id'):",
        "        setattr(builtins, name, None)",
        "    return n",
      ].join("\n"),
    trace: "f(1)",
    right: ["proven", "not proven", "crashed"], // the tracer uses separate builtins
  },
  {
    name: "traced: state without end",
    code: () => "def f(n):\n    x = [0] * 10**7\n    y = 'a' * 10**8\n    return n",
    trace: "f(1)",
    right: ["proven", "not proven", "memory"],
  },
];
