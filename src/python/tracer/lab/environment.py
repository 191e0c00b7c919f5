"""Reads of the environment by a running program: pinned and recorded, or a reason to refuse its trace.

    time.time(), datetime.now()      clock       pinned where the host can (embedded), else refused
    random.random() without a seed   seed        random.seed(0) is added before the program
    os.environ["HOME"]               variables   what was read, and its value
    os.path.exists("/etc/passwd")    files       what was found there; its contents are refused
    os.getcwd()                      folder      the working folder
    time.localtime(0)                timeZone    UTC
    hash(x), the order of a set      wordBits    where words have 32 bits and it depends on them; hashSeed where on the seed
    math.sin(x), x ** 0.5            libm        where the C library is not what CPython mostly has
    sys.version, os.getpid()         machine     by name
    threads, processes, sockets      refused where the host has none, whether or not the program catches the error

Reads are detected by audit events, by modules that notice reads of their names, and by lab.probes. A run is watched
from `begin()` to `finish()`. Nothing is restored: the state of the run is discarded.
"""

import _thread
import datetime
import dis
import errno
import functools
import gc
import io
import os
import posix
import random
import re
import stat
import subprocess
import sys
import threading
import time
import types
import weakref
from importlib import import_module

from lab import guard, probes
from lab.linux import COMPLETE, LINUX_VALUES, OTHER_NAMES, OTHER_SYSTEMS, PLATFORM_MODULES, install_errors
from lab.script import given

EMBEDDED = sys.platform == "emscripten"
frame_at = sys._getframe
outside = None
"""The names of the code that runs the lab."""
LAB = frame_at().f_code.co_filename.rpartition("/")[0] + "/"
LIBRARY = ("<frozen ", LAB, os.path.dirname(os.__file__) + "/", "/usr/lib/python3/")
"""The folders of the library: all other code is the program's."""
BETWEEN = ("/os.py", "<frozen os>", "/_collections_abc.py", "<frozen _collections_abc>")
"""Files that may stand between a program and what it asks for."""
TERMINAL = "readline"
"""Modules that edit lines of a terminal do not matter to the library without a terminal."""
FORMATS = re.compile("%(?:[-_0]?[aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%]|E[cCxXyY]|O[deHImMSuUVwWy])")
YEARS = re.compile("%[^%]?[cCFgGY]")
"""Directives of strftime that musl formats as glibc does; those that it does not before the year 1000."""
IMPORTERS = ("/importlib/__init__.py", "/importlib/util.py")
SEED = 0
CLOCK = "2025-01-01T00:00:00Z"
"""The embedded host's clock at the start of a run; each reading advances it by a microsecond."""

THREADS, PROCESSES, SOCKETS = "starts a thread", "starts a process", "opens a socket"
EVENTS = {
    "_thread.start_new_thread": THREADS,
    "_thread.start_joinable_thread": THREADS,
    **dict.fromkeys(
        ["os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system", "subprocess.Popen"], PROCESSES
    ),
    "socket.__new__": SOCKETS,
}
NETWORK = frozenset(["socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"])
CLOCKS = "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time"
WAITING = ("asyncio.", "threading", "selectors", "queue", "concurrent.", "subprocess", "random")
"""Modules of the library that look at a clock in order to wait."""
MACHINE = {
    "sys": """abiflags argv base_exec_prefix base_prefix builtin_module_names exec_prefix executable flags getallocatedblocks getrefcount hexversion implementation
    orig_argv path platlibdir prefix pycache_prefix stdlib_module_names version version_info _base_executable _git _stdlib_dir __dict__""",
    "os": """cpu_count process_cpu_count getlogin getpid getppid getpgid getpgrp getsid getuid geteuid getgid getegid getgroups getgrouplist
    getresuid getresgid getloadavg getpriority times uname get_terminal_size sched_getaffinity sysconf confstr pathconf ctermid ttyname isatty
    get_exec_path defpath umask statvfs kill""",
    "time": "tzname timezone altzone daylight get_clock_info",
    "gc": "get_count get_stats get_threshold set_threshold collect callbacks",
    "threading": "get_ident get_native_id main_thread current_thread",
    "inspect": "stack currentframe",
    "socket": "gethostname getfqdn if_nameindex",
    "hashlib": "algorithms_available",
    "fcntl": "fcntl ioctl",
    "mmap": "PAGESIZE ALLOCATIONGRANULARITY",
    "zlib": "ZLIB_RUNTIME_VERSION ZLIB_VERSION",
    "pyexpat": "EXPAT_VERSION version_info",
    **dict.fromkeys(["platform", "locale", "resource", "getpass", "sysconfig", "pwd", "grp", "site", "sqlite3", "ssl"]),
}
"""Names of modules that say something of the machine; None: all of them."""
OPENSSL_HASHES = tuple("blake2 md4 md5 mdc2 null ripemd rmd rsa sha sm3 ssl3 whirlpool".split())
"""How the names of hashes begin that hashlib may have from OpenSSL."""
DATES = frozenset("now utcnow today fromtimestamp timestamp astimezone".split())
DATE_CLASSES = {} if EMBEDDED else {kind: gc.get_referents(vars(kind))[0] for kind in (datetime.date, datetime.datetime)}
"""The names of classes of C, which cannot be set from outside."""
WORDS = {"sys": frozenset(["hash_info", "int_info", "thread_info"])}
REFUSED = {"sys": {"modules": "which modules are loaded", "_getframe": "for the frames that are under way"}}
UNSEEN = ("importlib", "_frozen_importlib", "linecache", "tokenize", "zoneinfo", "encodings", "codecs", "gettext", "inspect", "traceback", "lab")
"""Modules that read files of the library for themselves."""
KIND_ONLY = "exists lexists isfile isdir islink ismount is_file is_dir is_symlink is_mount realpath resolve _realpath makedirs mkdir walk expanduser".split()
"""Functions of the library that ask of a file only whether it is there, and whether it is a folder."""
NO_ATTRIBUTES = (*KIND_ONLY, "getsize", "samefile", "sameopenfile")
HANDS_ON = ("os", "posixpath", "genericpath", "pathlib", "glob", "zipfile", "tarfile")
"""Modules of the library whose other functions give or write the attributes of files, and the order of folders."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
CHANGES = frozenset("os.remove os.rmdir os.rename os.mkdir os.link os.symlink os.truncate os.utime os.chmod os.chown".split())
LISTS = frozenset(["os.listdir", "os.scandir"])


def install():
    """Called once, before any program, where it is WebAssembly: what Linux has otherwise is as on Linux, the rest is watched."""
    renamed, texts = install_errors()
    killed = []

    def translated(arguments):
        found = renamed.get(arguments[:2]) if type(arguments) is tuple and len(arguments) > 1 and type(arguments[0]) is int else None
        if found is None:
            return None
        if killed and found[0] == errno.EPERM:  # of the processes of a sandbox none but its own is there
            killed.clear()
            found = (errno.ESRCH, texts[errno.ESRCH])
        return (*found, *arguments[2:])

    probes.listeners["strerror"] = lambda _, number: texts.get(number, f"Unknown error {number}" if number else "Success")
    probes.listeners["kill"] = lambda _, process, signal: killed.append(process) if process != os.getpid() else None
    for module, values in LINUX_VALUES.items():
        there = import_module(module)
        for name, value in values.items():
            if hasattr(there, name):
                setattr(there, name, value)
    time.sleep = time.sleep.__globals__["_orig_sleep"]  # Pyodide's own asks the page to wait
    sys.excepthook = sys.__excepthook__  # Pyodide's own is a function of traceback
    del sys._emscripten_info
    probes.offer("/lab/probes", translated)


class Watch:
    def __init__(self):
        """Made once, before any program, for what it is made of takes longer than to begin."""
        self.refused = self.refused_at = None
        self.read, self.variables, self.put = {}, {}, set()
        self.drawn = self.seeded = self.weak = self.collected = False
        self.failed = []
        self.classes = {name: self.watched(name, None if names is None else frozenset(names.split())) for name, names in MACHINE.items()}
        self.classes["weakref"] = self.watched("weakref", frozenset(["__dict__", *weakref.__all__]))
        self.environ = environ_class(self)
        self.input = standard_input(self)
        self.load = importing(self.watch_module)
        self.absences = {module: self.absent(module) for module in PLATFORM_MODULES} if EMBEDDED else {}

    def begin(self, where):
        global outside
        outside = outermost(frame_at()).f_globals
        self.where = where
        self.variables.update(os.environ)
        self.lstat, self.folder = os.lstat, os.getcwd()
        self.roots = {root: set(os.listdir(root)) for root in {self.folder, "/tmp"}}
        self.made = set()
        self.listing = False
        if EMBEDDED:
            sys.platform, sys.maxsize = "linux", 2**63 - 1
            self.lack()
        else:
            if "stdin" not in given:
                self.watch_descriptor()
            self.watch_clocks()
            self.watch_dates()
            self.watch_threads()
        self.watch_random()
        os.environ.__class__ = self.environ
        self.watch_questions()
        self.watch_collector()
        self.watch_modules()
        if "stdin" not in given:
            sys.stdin = sys.__stdin__ = self.input
        sys.meta_path.append(Absent(self))
        sys.modules["_frozen_importlib"]._find_and_load = self.load
        guard.listeners.append(self.missing)
        guard.closed_calls.append(lambda name: self.refuse(f"calls {name}, which is closed to programs"))
        sys.addaudithook(self.hook())
        guard.heard["hooks"] = 0  # others are the program's

    def refuse(self, words, number=None):
        if self.refused is None:
            self.refused, self.refused_at = f"the program {words}", number or self.where()

    def reads_input(self, how=""):
        if "stdin" not in given:
            self.refuse(f"reads standard input{how}, of which a trace has none")

    def hook(self):
        events, network, embedded, refuse = EVENTS, NETWORK, EMBEDDED, self.refuse
        read, told = self.read, {THREADS: "threads", PROCESSES: "processes"}

        def hook(event, arguments):
            if event in events:
                if embedded:
                    refuse(f"{events[event]} ({event}), which the embedded host cannot; --python native can")
                elif events[event] is not SOCKETS:
                    read[told[events[event]]] = True
            elif event in network:
                refuse(f"reaches for the network ({event}), which is closed to programs")
            elif event == "builtins.id":
                if asked_by_program():
                    read["addresses"] = True
            elif event == "open":
                self.opens(arguments[0], arguments[2])
            elif event == "os.chdir":
                self.file(arguments[0], "kind")
            elif event in LISTS:
                self.lists(event, arguments[0])
            elif event in CHANGES:
                self.file(arguments[0], "changes")
            elif event == "builtins.input":
                self.reads_input(" (input)")
            elif event == "exec" and embedded and not probes.NOTES[probes.STARRED] and has_star(arguments[0]):
                probes.NOTES[probes.STARRED] = 1

        return hook

    def lack(self):
        """Functions that a program may look for and that are not there."""
        popen = subprocess.Popen.__init__

        def __init__(process, *arguments, **named):
            self.refuse("starts a process (subprocess.Popen), which the embedded host cannot; --python native can")
            popen(process, *arguments, **named)

        subprocess.Popen.__init__ = __init__
        for module, absence in self.absences.items():
            there = sys.modules.get(module)
            if there is not None:
                there.__getattr__ = absence

    def absent(self, module):
        def __getattr__(name):
            if not name.startswith("__") and name not in OTHER_NAMES and asked_by_program():
                self.refuse(f"asks for {module}.{name}, which the embedded host has not; --python native may have it")
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        return __getattr__

    def missing(self, name, path=None):
        """A module that was not found, or is closed."""
        top = name.partition(".")[0]
        known = top in sys.stdlib_module_names
        if top in OTHER_SYSTEMS or top in COMPLETE or (path is not None and not known):
            return
        frame = importer()
        if frame is None:
            return
        if is_program(frame) or (not imports(frame) and any(map(is_program, askers()))):
            host = "which the embedded host has not; --python native may have it" if EMBEDDED else "which the sandbox has not"
            self.refuse(f"imports {name}, {host}")
        elif not known and top in guard.CLOSED_MODULES:
            self.refuse(f"needs {name} by way of the library, which the sandbox has not")
        elif known and top != TERMINAL:
            self.failed.append((name, self.where(), None if frame.f_code.co_name != "<module>" else frame.f_globals.get("__name__")))

    def watch_modules(self):
        for name in self.classes:
            self.watch_module(name)
        posix.__class__ = os.__class__

    def watch_module(self, name):
        """Once it is loaded."""
        module = sys.modules.get(name)
        if name in self.classes and type(module) is types.ModuleType:
            module.__class__ = self.classes[name]
        if name == "sysconfig" and EMBEDDED and module is not None:
            module._get_sysconfigdata_name = lambda: "_sysconfigdata__emscripten_wasm32-emscripten"
        if name == "hashlib" and EMBEDDED and module is not None:
            module.__dict__["__get_builtin_constructor"] = self.constructor(module.__dict__["__get_builtin_constructor"])

    def constructor(self, original):
        """Of a hash: those of OpenSSL are not there."""
        if getattr(original, "__wrapped__", None) is not None:
            return original

        @functools.wraps(original)
        def constructor(name):
            try:
                return original(name)
            except ValueError:
                if str(name).lower().startswith(OPENSSL_HASHES):
                    self.refuse(f"asks hashlib for {name!r}, which the embedded host has not; --python native may have it")
                raise

        return constructor

    def watched(self, module, names):
        get, refused, words = types.ModuleType.__getattribute__, REFUSED.get(module, {}), WORDS.get(module, ())
        own = frozenset([*(names or ()), *refused, *words])

        class Module(types.ModuleType):
            def __new__(cls, name, doc=None):  # importlib makes new modules as type(sys)(name)
                return types.ModuleType(name, doc)

            def __getattribute__(there, name):
                if (name in own or (names is None and not name.startswith("__"))) and is_program(frame_at(1)):
                    if name in refused and not copies_all(frame_at(1)):
                        self.refuse(f"asks {refused[name]} ({module}.{name}), the lab's own among them")
                    elif name in words:
                        if EMBEDDED:
                            probes.NOTES[probes.WORDS] = 1
                    elif module == "weakref":
                        self.weak = True
                    elif module == "ssl" and EMBEDDED:
                        self.refuse(f"asks for ssl.{name}, of which the embedded host has but a stub; --python native may have it")
                    elif hasattr_of(get, there, name):
                        self.machine(f"{module}.{name}")
                return get(there, name)

        Module.__name__ = Module.__qualname__ = "module"
        Module.__module__ = "builtins"
        return Module

    def machine(self, name):
        if name == "sys.argv" and "argv" in given:
            return
        names = self.read.setdefault("machine", [])
        if name not in names:
            names.append(name)
            names.sort()

    def watch_questions(self):
        answers = {
            "getcwd": lambda *_: self.asks_folder(),
            "getcwdb": lambda *_: self.asks_folder(),
            "statvfs": lambda _, path: self.file(path, "contents"),
            "sleep": lambda _, seconds: self.waits(seconds),
            "strftime": lambda _, form, *moment: self.formats_time(form, *moment),
        }
        for name in ("readlink", "access"):
            answers[name] = lambda _, path, *rest: self.file(path, "kind")
        for name in ("stat", "lstat", "fstat"):
            answers[name] = lambda _, path, *rest, name=name: self.asks_attributes(name, path)
        probes.listeners.update(answers)
        if not EMBEDDED:
            del answers["sleep"], answers["strftime"]
            for name, heard in answers.items():
                self.wrap(name, heard)

    def wrap(self, name, heard):
        original = getattr(os, name)

        def asks(*arguments, **named):
            heard(None, *arguments, *named.values())
            return original(*arguments, **named)

        asks.__name__ = asks.__qualname__ = name
        setattr(os, name, asks)
        setattr(posix, name, asks)
        for functions in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
            if original in functions:
                functions.add(asks)

    def waits(self, seconds):
        """Time passes at once."""
        if type(seconds) in (int, float) and 0 <= seconds < 1e9:
            wait(seconds)
            return ...
        return None

    def formats_time(self, form, moment=(), *rest):
        if type(form) is not str:
            return
        early = issubclass(type(moment), tuple) and type(year := next(tuple.__iter__(moment), None)) is int and year < 1000
        if "%" in FORMATS.sub("", form) or (early and YEARS.search(form)):
            self.refuse(f"formats a time by {form!r}, of which the embedded host's C library knows not all; --python native does")

    def asks_attributes(self, name, path):
        """Owner, times and number of a file are the machine's, though the program made the file."""
        self.file(path, "kind")
        if hands_on(NO_ATTRIBUTES):
            self.machine(f"os.{name}")

    def asks_folder(self):
        if asked_for_program():
            self.read["folder"] = self.folder

    @probes.unseen
    def opens(self, path, flags):
        if type(path) is int:
            if path == 0:
                self.reads_input(" (open)")
            return
        self.file(path, "changes" if flags & WRITES else "contents")

    @probes.unseen
    def file(self, path, question):
        """A path outside of what the program made is a question to the machine."""
        if not asked_for_program():
            return
        path = "." if path is None else path
        if type(path) is int:
            return
        try:
            path = os.fsdecode(path)
        except (TypeError, ValueError):
            return
        place = os.path.normpath(os.path.join(self.current(), path))
        root = next((root for root in self.roots if place == root or place.startswith(root.rstrip("/") + "/")), None)
        zones = getattr(sys.modules.get("zoneinfo"), "TZPATH", ())
        if place == "/dev/null" or place.startswith((*zones, *LIBRARY)) or self.folder == place:
            return
        if question == "kind" and self.folder.startswith(place.rstrip("/") + "/"):
            return
        is_own = root is not None and place != root and place[len(root) :].strip("/").partition("/")[0] not in self.roots[root]
        try:
            found = self.lstat(place)
        except OSError:
            found = None
        if question == "changes":
            if root is None:
                self.refuse(f"writes to {place}, which is not in its own folder")
            elif found is not None or is_own:
                self.made.add(place)
            return
        if is_own and (found is not None or place in self.made):
            self.made.add(place)
            return
        if found is None:
            self.read.setdefault("files", {})[path] = None
        elif question == "contents" and root != place:
            self.refuse(f"reads {place}, which belongs to the machine")
        elif question == "kind" and not asks_kind_only():
            self.refuse(f"asks for more of {place} than whether it is there; it belongs to the machine")
        else:
            kind = "folder" if stat.S_ISDIR(found.st_mode) else "file"
            self.read.setdefault("files", {})[path] = kind

    def lists(self, event, path, listdir=os.listdir):
        """The order of a folder is the file system's; an entry of `scandir` has the attributes of its file."""
        if self.listing:
            return
        self.file(path, "contents")
        self.listing = True
        try:
            if hands_on() and (event == "os.scandir" or len(listdir(path)) > 1):
                self.machine(event)
        except OSError:
            pass  # and so it says to the program
        finally:
            self.listing = False

    def current(self, getcwd=os.getcwd):
        try:
            return getcwd()
        except OSError:
            return self.folder

    def watch_collector(self):
        """Cycles are left uncollected, but for a very large program: when Python itself would collect them depends on all that it has allocated."""
        gc.set_threshold(100_000, 10, 10)

        def collects(phase, about):
            if phase == "stop" and about["collected"] and not self.asked:
                self.collected = True

        self.asked = False
        gc.callbacks.append(collects)

    def collect(self):
        """Tells whether the program could have noticed when the collector ran. Finalizers run: nothing of the program is used afterwards."""
        self.asked = True
        before = len(gc.garbage)
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            gc.collect()
        finally:
            gc.set_debug(0)
        found = gc.garbage[before:]
        del gc.garbage[before:]
        if self.collected or any(map(self.has_finalizer, found)):
            self.read["collector"] = "off"

    def has_finalizer(self, value):
        kind = type(value)
        if isinstance(value, types.GeneratorType):
            return value.gi_frame is not None
        is_own = getattr(kind, "__module__", None) not in sys.stdlib_module_names
        return is_own and (hasattr(kind, "__del__") or (self.weak and hasattr(kind, "__weakref__")))

    def watch_descriptor(self):
        """Descriptor 0 has one byte: where it is gone at the end, it was read."""
        out, into = os.pipe()
        os.write(into, b"\n")
        os.close(into)
        os.dup2(out, 0)
        os.close(out)
        self.descriptor = os.fstat(0).st_ino

    def is_input_read(self, fstat=os.fstat, read=os.read):
        try:
            return fstat(0).st_ino == self.descriptor and read(0, 1) == b""
        except OSError:
            return False

    def watch_clocks(self):
        names = [name for name in CLOCKS.split() if hasattr(time, name)]
        for name in names:
            setattr(time, name, self.clock(name, getattr(time, name), 0))
        for name, most in {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}.items():
            setattr(time, name, self.clock(name, getattr(time, name), most))
        time.mktime = self.clock("mktime", time.mktime, -1)

    def watch_dates(self):
        """Functions of C, which a program may call by way of others, as map does: they are exchanged in their classes. No one has looked
        them up before, so that no cache knows them."""
        clock = {"now", "utcnow", "today"}
        for kind, names in DATE_CLASSES.items():
            for name in DATES & names.keys():
                names[name] = self.date(kind, name, names[name], name in clock)

    def date(self, kind, name, original, is_clock):
        is_method = isinstance(original, types.MethodDescriptorType)

        def read(value, *arguments, **named):
            if is_clock:
                self.refuse_clock(f"datetime.{name}")
            elif name != "timestamp" or value.tzinfo is None:
                self.read["timeZone"] = "UTC"
            return original.__get__(*((value, kind) if is_method else (None, value)))(*arguments, **named)

        read.__name__, read.__qualname__ = name, f"{kind.__name__}.{name}"
        return read if is_method else classmethod(read)

    def watch_threads(self):
        """Until Python 3.12 no event tells of them."""
        original = _thread.start_new_thread

        def start_new_thread(*arguments, **named):
            self.read["threads"] = True
            return original(*arguments, **named)

        _thread.start_new_thread = threading._start_new_thread = start_new_thread

    def clock(self, name, original, most):
        zoned = name in ("localtime", "ctime", "mktime")

        def read(*arguments):
            if not probes.NOTES[probes.GATE]:  # a module of the library while it is imported
                return original(*arguments)
            if len(arguments) <= most and not str(frame_at(1).f_globals.get("__name__")).startswith(WAITING):
                self.refuse_clock(f"time.{name}")
            elif zoned:
                self.read["timeZone"] = "UTC"
            return original(*arguments)

        read.__name__ = read.__qualname__ = name
        return read

    def refuse_clock(self, name, number=None):
        self.refuse(f"reads the clock ({name}); --python embedded pins it", number)

    def watch_random(self):
        random.seed(SEED)
        self.begun = random.getstate()

        def again(original):
            def seed(*arguments, **named):
                self.look_at_random()
                original(*arguments, **named)
                self.seeded = True
                if not (arguments or named) or arguments[:1] == (None,):
                    self.entropy("random.seed()")

            return seed

        random.seed, random.setstate = again(random.seed), again(random.setstate)
        draw = os.urandom

        def urandom(size, /):
            self.entropy("os.urandom")
            return draw(size)

        os.urandom = random._urandom = urandom
        first = random.Random.seed

        def seed(self_, a=None, version=2):
            if a is None and type(self_).__name__ != "SystemRandom":
                self.entropy("random.Random()")
            return first(self_, a, version)

        random.Random.seed = seed

    def look_at_random(self):
        if not self.seeded and not self.drawn:
            self.drawn = random._inst.getstate() != self.begun

    def entropy(self, name):
        if EMBEDDED:
            self.read["entropy"] = "pinned"
        else:
            self.refuse(f"draws from the system's randomness ({name}); --python embedded pins it")

    def variable(self, key):
        if type(key) is str and key not in self.put:
            self.read.setdefault("variables", {})[key] = self.variables.get(key)

    def finish(self):
        """The report on the run."""
        for name, number, importer in self.failed:
            if importer is None or importer not in sys.modules:
                self.refuse(f"needs {name}, which the {'embedded host' if EMBEDDED else 'sandbox'} has not", number)
        self.look_at_random()
        if self.drawn:
            self.read["seed"] = SEED
        if EMBEDDED:
            clocks, draws, questions, waits = looks()
            if clocks:
                self.read["clock"] = CLOCK
            if draws:
                self.read["entropy"] = "pinned"
            if waits:
                self.refuse("waits for what no other process writes or reads (a pipe)")
        else:
            questions = "stdin" not in given and self.is_input_read()
        if questions:
            self.reads_input()
        noted = {
            **{probes.LIBM: ("libm", "musl"), probes.WORDS: ("wordBits", 32), probes.SEED: ("hashSeed", 0)},
            **{probes.ADDRESSES: ("addresses", True), probes.ZONE: ("timeZone", "UTC")},
        }
        for kind, (key, value) in noted.items():
            if probes.NOTES[kind]:
                self.read[key] = value
        return self.read


class Absent:
    """The last that is asked for a module: it is not there."""

    def __init__(self, watch):
        self.watch = watch

    def find_spec(self, name, path=None, target=None):
        self.watch.missing(name, path)
        return None


def importing(loaded):
    """Effects of importing a module of the library are not the program's. The file's name keeps it out of tracebacks."""
    text = """def _find_and_load(name, import_):
    before = notes[gate]
    if name.partition(".")[0] in known:
        notes[gate] = 0
    try:
        return load(name, import_)
    finally:
        loaded(name)
        notes[gate] = before
"""
    load = sys.modules["_frozen_importlib"]._find_and_load
    names = {"__name__": "importlib._bootstrap", "loaded": loaded, "load": load}
    names.update(notes=probes.NOTES, gate=probes.GATE, known=sys.stdlib_module_names)
    exec(compile(text, "<frozen importlib._bootstrap>", "exec"), names)
    return names["_find_and_load"]


def environ_class(watch):
    class _Environ(type(os.environ)):
        def __getitem__(self, key):
            if (key in watch.variables and probes.NOTES[probes.GATE]) or asked_by_program():
                watch.variable(key)
            return super().__getitem__(key)

        def __iter__(self):
            if asked_by_program():
                for key in watch.variables:
                    watch.variable(key)
            return super().__iter__()

        def __setitem__(self, key, value):
            watch.variables.pop(key, None)
            watch.put.add(key)
            super().__setitem__(key, value)

    return _Environ


def standard_input(watch):
    """It has nothing in it, and to read that is a reason to refuse."""

    class Raw(io.RawIOBase):
        name, mode = "<stdin>", "rb"

        def readable(self):
            return True

        def readinto(self, buffer):
            watch.reads_input()
            return 0

        def fileno(self):
            return 0

        def isatty(self):
            watch.machine("sys.stdin.isatty")
            return False

    stream = io.TextIOWrapper(io.BufferedReader(Raw()), encoding="utf-8")
    stream.mode = "r"
    return stream


def wait(seconds):
    """Moves the embedded host's clock."""
    clock = memoryview(probes.NOTES)[probes.CLOCK : probes.CLOCK + 8].cast("d")
    clock[0] += seconds


def now():
    return memoryview(probes.NOTES)[probes.CLOCK : probes.CLOCK + 8].cast("d")[0]


def has_star(code):
    """Whether the code contains a display with a star, [*xs]; one of constants alone does not count."""
    extend = dis.opmap["LIST_EXTEND"]
    if extend in code.co_code[::2]:
        before = None
        for step in dis.get_instructions(code):
            if step.opcode == extend and not (before.opname == "LOAD_CONST" and type(before.argval) is tuple):
                return True
            before = step
    return any(type(constant) is types.CodeType and has_star(constant) for constant in code.co_consts)


def hasattr_of(get, module, name):
    try:
        get(module, name)
    except AttributeError:
        return False
    return True


def looks(open=posix.open, read=posix.read):
    """How often this run looked at a clock, drew from the system's randomness, read standard input and would have waited, as the host counted."""
    try:
        return [int(count) for count in read(open("/lab/looks", os.O_RDONLY), 64).split()]
    except (OSError, ValueError):
        return 0, 0, 0, 0


def askers():
    """The frames that ask, the innermost first: those of the lab that stand nearest are left out."""
    frame = frame_at(2)
    while frame is not None and frame.f_code.co_filename.startswith(LAB):
        frame = frame.f_back
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_program(frame):
    return not frame.f_code.co_filename.startswith(LIBRARY) and frame.f_globals is not outside


def outermost(frame):
    while frame.f_back is not None:
        frame = frame.f_back
    return frame


def importer():
    """The frame that imports."""
    for frame in askers():
        if not frame.f_code.co_filename.startswith("<frozen importlib") and not frame.f_code.co_filename.endswith(IMPORTERS):
            return frame
    return None


def imports(frame):
    """Whether it is at an import statement: else the module's name is one that it was given."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_NAME"


def asked_by_program():
    """Whether a call comes from the program itself, not from a module of the library."""
    for frame in askers():
        name = frame.f_code.co_filename
        if not name.startswith("<frozen importlib") and not name.endswith(BETWEEN):
            return is_program(frame)
    return False


def asked_for_program():
    """Whether a question to the machine is the program's, by way of the library or not: some modules ask for themselves."""
    for frame in askers():
        if is_program(frame):
            return True
        name = frame.f_code.co_filename
        if str(frame.f_globals.get("__name__")).partition(".")[0] in UNSEEN and not name.endswith(BETWEEN):
            return False
    return False


def asks_kind_only():
    for frame in askers():
        if is_program(frame):
            return False
        if frame.f_code.co_name in KIND_ONLY:
            return True
    return False


def hands_on(but=()):
    """Whether the answer reaches the program, or a file that the library writes for it, by functions other than these."""
    for frame in askers():
        if is_program(frame):
            return True
        if frame.f_code.co_name in but or not str(frame.f_globals.get("__name__")).startswith(HANDS_ON):
            return False
    return False


def copies_all(frame):
    """Whether it is at `from module import *`."""
    name = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    return name == "IMPORT_STAR" or name == "CALL_INTRINSIC_1"


prepared = Watch()


def begin(where=lambda: None):
    """The only watch of this run."""
    prepared.begin(where)
    return prepared
