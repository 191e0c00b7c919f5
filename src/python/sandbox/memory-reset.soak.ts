/**
 * @file Programs that change a setting after they have used it, run in sequence on one host and compared with plain CPython.
 *
 *     a = str(Decimal(1) / Decimal(7))      seen before
 *     getcontext().prec = 6                 changed
 *     return a                              still 0.1428571428571428571428571429
 *
 *     change 1, look at all, change 2, look at all, ...
 *
 * "look at all" is one program that reads every setting.
 */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { hasPython } from "../trace/python.test-helper.ts";
import type { HostName, PythonHost } from "./host.ts";
import { describeHosts } from "./hosts.test-helper.ts";
import { findNative } from "./native.ts";

interface Disturbance {
  readonly name: string;
  readonly imports: string;
  /** What is seen of the setting. */
  readonly look: string;
  readonly change: string;
}

// "callbacks of garbage" leaves out the lab's own, which the environment names.
const disturbances: readonly Disturbance[] = String.raw`
decimal context :: import decimal :: str(decimal.Decimal(1) / decimal.Decimal(7)) :: decimal.getcontext().prec = 6
decimal default :: import decimal :: decimal.Context().prec :: decimal.DefaultContext.prec = 5
decimal traps :: import decimal :: decimal.getcontext().traps[decimal.Inexact] :: decimal.getcontext().traps[decimal.Inexact] = True
file in /tmp :: import os :: os.path.exists('/tmp/statelab-left') :: open('/tmp/statelab-left', 'w').close()
file at hand :: import os :: os.path.exists('statelab-left') :: os.close(os.open('/tmp/statelab-other', os.O_CREAT | os.O_RDWR))
folders :: import os :: [name for name in os.listdir('/tmp') if name == 'statelab-a'] :: os.makedirs('/tmp/statelab-a/b')
link :: import os :: os.path.islink('/tmp/statelab-link') :: os.symlink('/tmp', '/tmp/statelab-link')
working folder :: import os :: os.getcwd() == '/' :: os.chdir('/')
environment :: import os :: os.environ.get('STATELAB_LEFT') :: os.environ['STATELAB_LEFT'] = 'something'
environment by putenv :: import os :: os.getenv('STATELAB_PUT') :: os.putenv('STATELAB_PUT', '1')
mask of new files :: import os :: [old == 0o77 for old in [os.umask(0)] if os.umask(old) == 0] :: os.umask(0o77)
calendar :: import calendar :: calendar.firstweekday() :: calendar.setfirstweekday(6)
calendar's weeks :: import calendar :: calendar.monthcalendar(2024, 2)[0] :: calendar.setfirstweekday(3)
recursion limit :: import sys :: sys.getrecursionlimit() :: sys.setrecursionlimit(3456)
digits of integers :: import sys :: sys.get_int_max_str_digits() :: sys.set_int_max_str_digits(5000)
switch interval :: import sys :: sys.getswitchinterval() :: sys.setswitchinterval(0.5)
abstract classes :: import collections.abc, array :: isinstance(bytearray(), collections.abc.Hashable) :: collections.abc.Hashable.register(bytearray)
sequences :: import collections.abc :: issubclass(dict, collections.abc.Sequence) :: collections.abc.Sequence.register(dict)
numbers :: import numbers :: issubclass(str, numbers.Number) :: numbers.Number.register(str)
modules :: import sys :: 'colorsys' in sys.modules :: import colorsys
modules put by hand :: import sys :: 'statelab_left' in sys.modules :: sys.modules['statelab_left'] = sys
search path :: import sys :: sys.path.count('/statelab') :: sys.path.append('/statelab')
finders :: import sys :: sys.meta_path.count(None) :: sys.meta_path.append(None)
locale :: import locale :: locale.setlocale(locale.LC_NUMERIC) :: locale.setlocale(locale.LC_NUMERIC, 'C.UTF-8')
filters of warnings :: import warnings :: [each[0] for each in warnings.filters].count('error') :: warnings.simplefilter('error')
random with a seed :: import random :: random.Random(4).random() :: random.Random.random = lambda self: 0.5
json's encoder :: import json :: json.dumps([1.5]) :: json._default_encoder.item_separator = '; '
json's defaults :: import json :: json.dumps({'b': 1}) :: json.dumps.__kwdefaults__['indent'] = 3
signals :: import signal :: signal.getsignal(signal.SIGTERM) == signal.SIG_DFL :: signal.signal(signal.SIGTERM, signal.SIG_IGN)
garbage :: import gc :: gc.isenabled() :: gc.disable()
thresholds of garbage :: import gc :: gc.get_threshold()[0] == 7 :: gc.set_threshold(7)
callbacks of garbage :: import gc :: len([each for each in gc.callbacks if each.__name__ == '<lambda>']) :: gc.callbacks.append(lambda *_: None)
context variables :: import contextvars, sys\nif not hasattr(sys, '_left'): sys._left = contextvars.ContextVar('left', default=0) :: sys._left.get() :: sys._left.set(5)
attributes of sys :: import sys :: hasattr(sys, 'statelab_left') :: sys.statelab_left = 1
copyreg :: import copyreg :: complex in copyreg.dispatch_table and copyreg.dispatch_table[complex] is len :: copyreg.pickle(complex, len)
codecs :: import codecs :: codecs.lookup_error('strict')(UnicodeEncodeError('a', 'b', 0, 1, 'c'))[0] if codecs.lookup_error('strict').__name__ == 'left' else '' :: codecs.register_error('strict', lambda error: ('?', error.end))
interned codecs :: import codecs :: [name for name in ['statelab'] if encodes(name)] :: codecs.register(lambda name: codecs.lookup('ascii') if name == 'statelab' else None)
time zone :: import time, os :: 'XYZ' in time.tzname :: os.environ['TZ'] = 'XYZ+4'; time.tzset()
builtins :: import builtins :: len([1, 2]) :: builtins.len = lambda x: 99
more builtins :: import builtins :: hasattr(builtins, 'extra') :: builtins.extra = 1
classes of the library :: import collections :: collections.Counter('aab').most_common(1) :: collections.Counter.most_common = lambda self, n: []
attributes of classes :: import fractions :: hasattr(fractions.Fraction, 'left') :: fractions.Fraction.left = 1
constants :: import math :: math.pi :: math.pi = 3
constants of string :: import string :: string.ascii_lowercase[:3] :: string.ascii_lowercase = 'xyz'
logging :: import logging :: logging.getLogger().level :: logging.basicConfig(level=1)
names of levels :: import logging :: logging.getLevelName(77) :: logging.addLevelName(77, 'LEFT')
hook of threads :: import threading :: threading.excepthook.__name__ == 'left' :: def left(_): pass\n    threading.excepthook = left
hook of exceptions :: import sys :: sys.excepthook.__name__ == 'left' :: def left(*_): pass\n    sys.excepthook = left
standard output :: import sys :: sys.stdout is None :: sys.stdout = None
standard error :: import sys :: sys.stderr is None :: sys.stderr = None
descriptors :: import os :: len([n for n in range(20, 50) if is_open(n)]) :: os.dup2(1, 33)
functions' insides :: import textwrap :: textwrap.indent('a', 'b') :: textwrap.indent.__code__ = (lambda text, prefix, predicate=None: 'left').__code__
functions' defaults :: import heapq :: heapq.nlargest(1, [1, 2]) :: heapq.nlargest.__defaults__ = (abs,)
partial functions :: import functools :: functools.WRAPPER_ASSIGNMENTS[:1] :: functools.WRAPPER_ASSIGNMENTS = ()
audit hooks :: import sys :: sys.intern('x') :: sys.addaudithook(lambda event, _: event == 'statelab' and 1 / 0)
reduction of copies :: import copy :: copy.copy([1]) :: copy.copy = lambda x: 'left'
patterns :: import re :: re.sub('a', 'b', 'aa') :: re.purge()
enumerations :: import enum :: enum.Flag._boundary_.name == 'KEEP' :: enum.Flag._boundary_ = enum.KEEP
dates :: import datetime :: datetime.MINYEAR :: datetime.MINYEAR = 7
hooks of the end :: import atexit :: atexit._ncallbacks() > 50 :: for n in range(60): atexit.register(print)
tracing :: import sys :: sys.getprofile() is None :: sys.setprofile(None)
late finalizers :: import gc, sys :: getattr(sys, 'late', 0) :: class Late:\n        def __del__(self): sys.late = 1\n    x = Late(); x.self = x; del x
weak references :: import weakref, sys :: getattr(sys, 'weak', 0) :: class Weak: pass\n    x = Weak(); sys.kept = weakref.ref(x, lambda _: setattr(sys, 'weak', 1))
`
  .trim()
  .split("\n")
  .map((row) => {
    const [name, imports, look, change] = row.replaceAll("\\n", "\n").split(" :: ");
    return { name, imports, look, change };
  });

/** Helpers that a look may call. */
const helpers = `import os, codecs
def is_open(n):
    try:
        os.fstat(n)
    except OSError:
        return False
    return True
def encodes(name):
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
`;

const source = ({ imports, look, change }: Disturbance) =>
  `${imports}\n${/is_open|encodes/.test(look) ? helpers : ""}def f():\n    a = ${look}\n    ${change}\n    return a\n`;

/** Looks at everything at once: a list of texts. What is refused by name is asked for without its name. */
const lookAtAll = [
  helpers,
  ...new Set(disturbances.map(({ imports }) => imports)),
  "def f():",
  "    seen = []",
  ...disturbances.map(
    // traces do not record which modules are loaded
    ({ look }) => `    seen.append(repr(${look.includes("sys.modules") ? "None" : look}))`,
  ),
  "    return seen",
  "",
].join("\n");

const run = [
  "import json, os, sys",
  "size = len",
  "names = {'__name__': 'program'}",
  "exec(sys.stdin.read(), names)",
  "value = eval('f()', names)",
  "text = json.dumps(value) if type(value) is list and size(value) > 9 else repr(value)",
  "sys.__stdout__.write('=' + text)",
  "sys.__stdout__.flush()",
  "os._exit(0)",
].join("\n");

const apart = "--ro-bind / / --dev /dev --tmpfs /tmp --chdir /tmp python3 -I -c".split(" ");
const known = new Map<string, string>();

/** What the call gives in a fresh CPython that knows nothing of the lab, with an empty /tmp. */
function plainly(program: string): string {
  let text = known.get(program);
  if (text === undefined) {
    const env = { PATH: process.env.PATH ?? "", PYTHONHASHSEED: "0" };
    const { stdout, stderr } = spawnSync("bwrap", [...apart, run], { input: program, encoding: "utf8", env });
    text = stdout.slice(stdout.indexOf("=") + 1) || stderr;
    known.set(program, text);
  }
  return text;
}

/** Refused with the name of what they ask for; everything else is proven. */
const refused: Readonly<Record<HostName, readonly string[]>> = {
  embedded: ["modules", "modules put by hand", "time zone"],
  native: ["modules", "modules put by hand"],
};
const skip = !hasPython || findNative().kind === "missing"; // and with it bubblewrap

/** Every program once on each host, and after each the look at all. */
describeHosts((host) => {
  const looked = async () => {
    const record = await traceBy(host, lookAtAll);
    if (!record.proven) return ["proven", record.reason];
    const seen = record.result as string[];
    const expected: string[] = JSON.parse(plainly(lookAtAll));
    return disturbances.flatMap(({ name: what }, i) =>
      seen[i] === expected[i] ? [] : [[what, seen[i], expected[i]]],
    );
  };

  for (const disturbance of disturbances) {
    test.skipIf(skip)(`one that changes the ${disturbance.name} after it has looked`, async () => {
      const program = source(disturbance);
      const record = await traceBy(host, program);
      const isRefused = refused[host.name].includes(disturbance.name);
      expect([record.proven, record.reason]).toEqual([!isRefused, isRefused ? expect.any(String) : null]);
      if (!isRefused) expect(record.literal).toBe(plainly(program));
    });
    test.skipIf(skip)(`one that looks at all that others change, after the ${disturbance.name}`, async () => {
      expect(await looked()).toEqual([]);
    });
  }
});

async function traceBy(host: PythonHost, program: string) {
  const outcome = await host.run({ operation: "trace", source: program, call: "f()", options: {} });
  if (outcome.kind !== "done") return { proven: false, reason: outcome.words, literal: null, result: null };
  // the record of lab.trace
  return outcome.value as {
    readonly proven: boolean;
    readonly reason: string | null;
    readonly literal: string | null;
    readonly result: unknown;
  };
}
