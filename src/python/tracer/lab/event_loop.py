"""asyncio without sockets: an event loop that cannot be woken from outside, with simulated time.

    asyncio.run(main())       sleeps pass at once, in the order in which they end

Its clock is the host's pinned one (lab.environment), which starts at 0 and is advanced by the waits of a loop or time.sleep: the
same in every run.
"""

import asyncio
import importlib
import selectors
import time
from asyncio import base_events, events, selector_events

from lab.environment import now, wait


class Selector(selectors._BaseSelectorImpl):
    """Knows of no file that could become ready."""

    def select(self, timeout=None):
        wait(max(timeout or 0.0, 0.0))
        return []


def install():
    importlib.reload(asyncio.runners)  # Pyodide's own needs a page around it
    asyncio.run, asyncio.Runner = asyncio.runners.run, asyncio.runners.Runner
    events._event_loop_policy = None
    events._set_running_loop(None)
    selectors.DefaultSelector = Selector
    clocks = {name: time.get_clock_info(name) for name in ("time", "monotonic", "perf_counter")}
    time.get_clock_info = clocks.__getitem__  # every loop asks, and the answer is a look at the clock
    loop = selector_events.BaseSelectorEventLoop
    loop._make_self_pipe = _make_self_pipe
    loop._close_self_pipe = lambda self: None
    loop._write_to_self = lambda self: None
    base_events.BaseEventLoop.time = lambda self: now()
    asyncio.SelectorEventLoop.time = base_events.BaseEventLoop.time


def _make_self_pipe(self):
    self._ssock = self._csock = None
    self._internal_fds = 0
