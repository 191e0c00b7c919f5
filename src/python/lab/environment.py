"""What a program asks of the world around it while it runs: pinned and told, or a reason to refuse its trace.

    time.time(), datetime.now()      clock      pinned where the host can (embedded), else refused
    random.random() without a seed   seed       random.seed(0) stands before the program
    os.environ["HOME"]               variables  what was read, and what it was
    hash(x), the order of a set      wordBits   told where words have 32 bits
    math.sin(x), x ** 0.5            libm       told where the C library is not what CPython mostly has
    sys.platform, os.getpid()        machine    by name
    threads, processes, sockets      refused where the host has none, whether or not the program catches the error

A run is watched from `Watch()` to `finish()`, knowing what lab.scan has found in the text. Nothing is put back: the state of the run is thrown away.
"""

import _thread
import os
import random
import subprocess
import sys
import threading
import time

from lab.missing import MISSING_MODULES, MISSING_NAMES
from lab.script import OURS

EMBEDDED = sys.platform == "emscripten"
BETWEEN = ("/os.py", "<frozen os>", "/_collections_abc.py", "<frozen _collections_abc>", "lab>/environment.py")
"""Files that may stand between a program and what it asks for."""
SEED = 0
CLOCK = "2025-01-01T00:00:00Z"
"""Where the embedded host's clock stands when a run begins; each look moves it on by a microsecond."""

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


class Watch:
    def __init__(self, scanned, where=lambda: None):
        self.refused = self.refused_at = None
        self.where = where
        self.read = {}
        self.drawn = self.seeded = False
        self.variables = dict(os.environ)
        for reason, number in scanned["refused"]:
            self.refuse(reason, number)
        if scanned["machine"]:
            self.read["machine"] = scanned["machine"]
        if EMBEDDED:
            if scanned["words"]:
                self.read["wordBits"] = 32
            if scanned["libm"]:
                self.read["libm"] = "musl"
            sys.maxsize = 2**63 - 1
            self.lack()
        else:
            self.watch_clocks(scanned["dates"])
            self.watch_threads()
        self.watch_random()
        self.watch_variables()
        sys.addaudithook(self.hook())

    def refuse(self, words, number=None):
        if self.refused is None:
            self.refused, self.refused_at = f"the program {words}", number or self.where()

    def hook(self):
        events, network, missing, embedded, refuse = EVENTS, NETWORK, MISSING_MODULES, EMBEDDED, self.refuse
        read, told = self.read, {THREADS: "threads", PROCESSES: "processes"}

        def hook(event, arguments):
            if event in events:
                if embedded:
                    refuse(f"{events[event]} ({event}), which the embedded host cannot; --host native can")
                elif events[event] is not SOCKETS:
                    read[told[events[event]]] = True
            elif event in network:
                refuse(f"reaches for the network ({event}), which is closed to programs")
            elif event == "builtins.id":
                if asked_by_program(2):
                    read["addresses"] = True
            elif event == "import" and embedded and arguments[0] in missing:
                if arguments[0].startswith("_") or asked_by_program(2):
                    refuse(f"imports {arguments[0]}, which the embedded host has not; --host native has")

        return hook

    def lack(self):
        """Functions that a program may look for and that are not there."""
        popen = subprocess.Popen.__init__

        def __init__(process, *arguments, **named):
            self.refuse("starts a process (subprocess.Popen), which the embedded host cannot; --host native can")
            popen(process, *arguments, **named)

        subprocess.Popen.__init__ = __init__
        for module, names in MISSING_NAMES.items():
            there = sys.modules.get(module)
            if there is not None:
                there.__getattr__ = self.absent(module, frozenset(names.split()))

    def absent(self, module, names):
        def __getattr__(name):
            if name in names and asked_by_program(2):
                self.refuse(f"asks for {module}.{name}, which the embedded host has not; --host native has")
            raise AttributeError(f"module {module!r} has no attribute {name!r}")

        return __getattr__

    def watch_clocks(self, dates):
        names = [name for name in CLOCKS.split() if hasattr(time, name)]
        for name in names:
            setattr(time, name, self.clock(name, getattr(time, name), 0))
        for name, most in {"localtime": 0, "gmtime": 0, "ctime": 0, "asctime": 0, "strftime": 1}.items():
            setattr(time, name, self.clock(name, getattr(time, name), most))
        for name, number in dates:
            self.refuse_clock(name, number)

    def watch_threads(self):
        """Until Python 3.12 no event tells of them."""
        original = _thread.start_new_thread

        def start_new_thread(*arguments, **named):
            self.read["threads"] = True
            return original(*arguments, **named)

        _thread.start_new_thread = threading._start_new_thread = start_new_thread

    def clock(self, name, original, most):
        def read(*arguments):
            if len(arguments) <= most and not str(sys._getframe(1).f_globals.get("__name__")).startswith(WAITING):
                self.refuse_clock(f"time.{name}")
            return original(*arguments)

        read.__name__ = read.__qualname__ = name
        return read

    def refuse_clock(self, name, number=None):
        self.refuse(f"reads the clock ({name}); --host embedded pins it", number)

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
            self.refuse(f"draws from the system's randomness ({name}); --host embedded pins it")

    def watch_variables(self):
        watch, kept = self, self.variables
        base = type(os.environ)

        class _Environ(base):
            def __getitem__(self, key):
                if key in kept or asked_by_program(2):
                    watch.variable(key, kept)
                return super().__getitem__(key)

            def __iter__(self):
                if asked_by_program(2):
                    for key in kept:
                        watch.variable(key, kept)
                return super().__iter__()

            def __setitem__(self, key, value):
                kept.pop(key, None)
                watch.put.add(key)
                super().__setitem__(key, value)

        self.put = set()
        os.environ.__class__ = _Environ

    def variable(self, key, kept):
        if type(key) is str and key not in self.put:
            self.read.setdefault("variables", {})[key] = kept.get(key)

    def finish(self):
        """What is to be told of the run."""
        self.look_at_random()
        if self.drawn:
            self.read["seed"] = SEED
        if EMBEDDED:
            clocks, draws = looks()
            if clocks:
                self.read["clock"] = CLOCK
            if draws:
                self.read["entropy"] = "pinned"
        return self.read


def looks(open=os.open, read=os.read):
    """How often this run looked at a clock and drew from the system's randomness, as the host counted."""
    try:
        clocks, draws = read(open("/lab/looks", os.O_RDONLY), 64).split()
    except (OSError, ValueError):
        return 0, 0
    return int(clocks), int(draws)


def asked_by_program(depth):
    """Whether the program itself stands behind a call, not a module of the library."""
    frame = sys._getframe(depth)
    while frame is not None:
        name = frame.f_code.co_filename
        if name in OURS:
            return True
        if not name.startswith("<frozen importlib") and not name.endswith(BETWEEN):
            return False
        frame = frame.f_back
    return False
