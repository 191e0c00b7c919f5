/**
 * @file Programs that change a setting after they have used it, and looks at every setting that one of them changes.
 *
 *     a = str(Decimal(1) / Decimal(7))      seen before
 *     getcontext().prec = 6                 changed
 *     return a                              still 0.1428571428571428571428571429
 */

export interface Disturbance {
  readonly name: string;
  readonly imports: string;
  /** What is seen of the setting. */
  readonly look: string;
  readonly change: string;
}

const row = (name: string, imports: string, look: string, change: string): Disturbance => ({
  name,
  imports,
  look,
  change,
});

export const disturbances: readonly Disturbance[] = [
  row(
    "decimal context",
    "import decimal",
    "str(decimal.Decimal(1) / decimal.Decimal(7))",
    "decimal.getcontext().prec = 6",
  ),
  row("decimal default", "import decimal", "decimal.Context().prec", "decimal.DefaultContext.prec = 5"),
  row(
    "decimal traps",
    "import decimal",
    "decimal.getcontext().traps[decimal.Inexact]",
    "decimal.getcontext().traps[decimal.Inexact] = True",
  ),
  row(
    "file in /tmp",
    "import os",
    "os.path.exists('/tmp/statelab-left')",
    "open('/tmp/statelab-left', 'w').close()",
  ),
  row(
    "file at hand",
    "import os",
    "os.path.exists('statelab-left')",
    "os.close(os.open('/tmp/statelab-other', os.O_CREAT | os.O_RDWR))",
  ),
  row(
    "folders",
    "import os",
    "[name for name in os.listdir('/tmp') if name == 'statelab-a']",
    "os.makedirs('/tmp/statelab-a/b')",
  ),
  row(
    "link",
    "import os",
    "os.path.islink('/tmp/statelab-link')",
    "os.symlink('/tmp', '/tmp/statelab-link')",
  ),
  row("working folder", "import os", "os.getcwd() == '/'", "os.chdir('/')"),
  row(
    "environment",
    "import os",
    "os.environ.get('STATELAB_LEFT')",
    "os.environ['STATELAB_LEFT'] = 'something'",
  ),
  row("environment by putenv", "import os", "os.getenv('STATELAB_PUT')", "os.putenv('STATELAB_PUT', '1')"),
  row(
    "mask of new files",
    "import os",
    "[old == 0o77 for old in [os.umask(0)] if os.umask(old) == 0]",
    "os.umask(0o77)",
  ),
  row("calendar", "import calendar", "calendar.firstweekday()", "calendar.setfirstweekday(6)"),
  row(
    "calendar's weeks",
    "import calendar",
    "calendar.monthcalendar(2024, 2)[0]",
    "calendar.setfirstweekday(3)",
  ),
  row("recursion limit", "import sys", "sys.getrecursionlimit()", "sys.setrecursionlimit(3456)"),
  row("digits of integers", "import sys", "sys.get_int_max_str_digits()", "sys.set_int_max_str_digits(5000)"),
  row("switch interval", "import sys", "sys.getswitchinterval()", "sys.setswitchinterval(0.5)"),
  row(
    "abstract classes",
    "import collections.abc, array",
    "isinstance(bytearray(), collections.abc.Hashable)",
    "collections.abc.Hashable.register(bytearray)",
  ),
  row(
    "sequences",
    "import collections.abc",
    "issubclass(dict, collections.abc.Sequence)",
    "collections.abc.Sequence.register(dict)",
  ),
  row("numbers", "import numbers", "issubclass(str, numbers.Number)", "numbers.Number.register(str)"),
  row("modules", "import sys", "'colorsys' in sys.modules", "import colorsys"),
  row(
    "modules put by hand",
    "import sys",
    "'statelab_left' in sys.modules",
    "sys.modules['statelab_left'] = sys",
  ),
  row("search path", "import sys", "sys.path.count('/statelab')", "sys.path.append('/statelab')"),
  row("finders", "import sys", "sys.meta_path.count(None)", "sys.meta_path.append(None)"),
  row(
    "locale",
    "import locale",
    "locale.setlocale(locale.LC_NUMERIC)",
    "locale.setlocale(locale.LC_NUMERIC, 'C.UTF-8')",
  ),
  row(
    "filters of warnings",
    "import warnings",
    "[each[0] for each in warnings.filters].count('error')",
    "warnings.simplefilter('error')",
  ),
  row(
    "random with a seed",
    "import random",
    "random.Random(4).random()",
    "random.Random.random = lambda self: 0.5",
  ),
  row("json's encoder", "import json", "json.dumps([1.5])", "json._default_encoder.item_separator = '; '"),
  row("json's defaults", "import json", "json.dumps({'b': 1})", "json.dumps.__kwdefaults__['indent'] = 3"),
  row(
    "signals",
    "import signal",
    "signal.getsignal(signal.SIGTERM) == signal.SIG_DFL",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
  ),
  row("garbage", "import gc", "gc.isenabled()", "gc.disable()"),
  row("thresholds of garbage", "import gc", "gc.get_threshold()[0] == 7", "gc.set_threshold(7)"),
  row(
    "callbacks of garbage", // one is the lab's own, which the environment names
    "import gc",
    "len([each for each in gc.callbacks if each.__name__ == '<lambda>'])",
    "gc.callbacks.append(lambda *_: None)",
  ),
  row(
    "context variables",
    "import contextvars, sys\nif not hasattr(sys, '_left'): sys._left = contextvars.ContextVar('left', default=0)",
    "sys._left.get()",
    "sys._left.set(5)",
  ),
  row("attributes of sys", "import sys", "hasattr(sys, 'statelab_left')", "sys.statelab_left = 1"),
  row(
    "copyreg",
    "import copyreg",
    "complex in copyreg.dispatch_table and copyreg.dispatch_table[complex] is len",
    "copyreg.pickle(complex, len)",
  ),
  row(
    "codecs",
    "import codecs",
    "codecs.lookup_error('strict')(UnicodeEncodeError('a', 'b', 0, 1, 'c'))[0] if codecs.lookup_error('strict').__name__ == 'left' else ''",
    "codecs.register_error('strict', lambda error: ('?', error.end))",
  ),
  row(
    "interned codecs",
    "import codecs",
    "[name for name in ['statelab'] if encodes(name)]",
    "codecs.register(lambda name: codecs.lookup('ascii') if name == 'statelab' else None)",
  ),
  row("time zone", "import time, os", "'XYZ' in time.tzname", "os.environ['TZ'] = 'XYZ+4'; time.tzset()"),
  row("builtins", "import builtins", "len([1, 2])", "builtins.len = lambda x: 99"),
  row("more builtins", "import builtins", "hasattr(builtins, 'extra')", "builtins.extra = 1"),
  row(
    "classes of the library",
    "import collections",
    "collections.Counter('aab').most_common(1)",
    "collections.Counter.most_common = lambda self, n: []",
  ),
  row(
    "attributes of classes",
    "import fractions",
    "hasattr(fractions.Fraction, 'left')",
    "fractions.Fraction.left = 1",
  ),
  row("constants", "import math", "math.pi", "math.pi = 3"),
  row("constants of string", "import string", "string.ascii_lowercase[:3]", "string.ascii_lowercase = 'xyz'"),
  row("logging", "import logging", "logging.getLogger().level", "logging.basicConfig(level=1)"),
  row("names of levels", "import logging", "logging.getLevelName(77)", "logging.addLevelName(77, 'LEFT')"),
  row(
    "hook of threads",
    "import threading",
    "threading.excepthook.__name__ == 'left'",
    "def left(_): pass\n    threading.excepthook = left",
  ),
  row(
    "hook of exceptions",
    "import sys",
    "sys.excepthook.__name__ == 'left'",
    "def left(*_): pass\n    sys.excepthook = left",
  ),
  row("standard output", "import sys", "sys.stdout is None", "sys.stdout = None"),
  row("standard error", "import sys", "sys.stderr is None", "sys.stderr = None"),
  row("descriptors", "import os", "len([n for n in range(20, 50) if is_open(n)])", "os.dup2(1, 33)"),
  row(
    "functions' insides",
    "import textwrap",
    "textwrap.indent('a', 'b')",
    "textwrap.indent.__code__ = (lambda text, prefix, predicate=None: 'left').__code__",
  ),
  row(
    "functions' defaults",
    "import heapq",
    "heapq.nlargest(1, [1, 2])",
    "heapq.nlargest.__defaults__ = (abs,)",
  ),
  row(
    "partial functions",
    "import functools",
    "functools.WRAPPER_ASSIGNMENTS[:1]",
    "functools.WRAPPER_ASSIGNMENTS = ()",
  ),
  row(
    "audit hooks",
    "import sys",
    "sys.intern('x')",
    "sys.addaudithook(lambda event, _: event == 'statelab' and 1 / 0)",
  ),
  row("reduction of copies", "import copy", "copy.copy([1])", "copy.copy = lambda x: 'left'"),
  row("patterns", "import re", "re.sub('a', 'b', 'aa')", "re.purge()"),
  row(
    "enumerations",
    "import enum",
    "enum.Flag._boundary_.name == 'KEEP'",
    "enum.Flag._boundary_ = enum.KEEP",
  ),
  row("dates", "import datetime", "datetime.MINYEAR", "datetime.MINYEAR = 7"),
  row(
    "hooks of the end",
    "import atexit",
    "atexit._ncallbacks() > 50",
    "for n in range(60): atexit.register(print)",
  ),
  row("tracing", "import sys", "sys.getprofile() is None", "sys.setprofile(None)"),
  row(
    "late finalizers",
    "import gc, sys",
    "getattr(sys, 'late', 0)",
    "class Late:\n        def __del__(self): sys.late = 1\n    x = Late(); x.self = x; del x",
  ),
  row(
    "weak references",
    "import weakref, sys",
    "getattr(sys, 'weak', 0)",
    "class Weak: pass\n    x = Weak(); sys.kept = weakref.ref(x, lambda _: setattr(sys, 'weak', 1))",
  ),
];

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

export const source = ({ imports, look, change }: Disturbance) =>
  `${imports}\n${/is_open|encodes/.test(look) ? helpers : ""}def f():\n    a = ${look}\n    ${change}\n    return a\n`;

/** Looks at everything at once: a list of texts. What is refused by name is asked for without its name. */
export const lookAtAll = [
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
