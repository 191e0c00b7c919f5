"""The process inside bubblewrap: limits itself, imports the tracer from the request, and answers it.

Started by native.ts. It reads two lines of JSON from stdin and writes frames to descriptor 3:

    <- {"nonce": "5f...", "modules": {...}, "memoryBytes": ..., "judged": true, ...}
    -> 5f... started 0\\n
    <- {"operation": "split", "code": ...}
    -> 5f... plan 41\\n[{"digest": "4f53...", "message": ""}]
    -> 5f... reply 57\\n{"kind": "done", ...}\\n{"outcome": "passed", "told": ["4f53..."]}

A session is lines of cells instead of one request, each answered by a reply; a tool call of a cell is a frame `call`, answered
by a line.

Every other run of a program is a fork, which answers through a pipe: the descriptor is not open in it. The expected values are
split off in a separate fork, which ends before the program begins: no process of the sandbox has them then.
Failures before "started" are not the program's.
"""

import _thread
import fcntl
import importlib
import json
import os
import resource
import signal
import sys

CHANNEL = 3
APART, DESCRIPTORS = 61, 64
"""The channel of the process that runs the program, below those of lab/script.py; how many it may have."""
STACK_BYTES = 64 * 2**20


class Forked(Exception):
    """The way out of all frames, in a fork."""


def main():
    hello = json.loads(sys.stdin.buffer.readline())
    nonce = hello.pop("nonce").encode()
    names = {"__name__": "importer"}
    exec(hello["importer"], names)
    names["install"](hello["modules"], compiled=True)
    from lab import entry

    for name in hello["modules"]:
        if name != "event_loop":  # the embedded host's
            importlib.import_module(f"lab.{name}")
    entry.start()
    _write(CHANNEL, nonce, "started", b"")
    if hello["session"]:
        _converse(hello, nonce)
    text = _split(hello, nonce) if hello["judged"] else sys.stdin.buffer.readline().decode("ascii")
    _take_input_away()
    while True:
        reply = _apart(hello, text)
        header, _, text = reply.partition(b"\n")
        if json.loads(header)["kind"] != "next":
            break
        text = text.decode("ascii")
    _write(CHANNEL, nonce, "reply", reply)
    os._exit(0)


def _converse(hello, nonce):
    """Cells, one after the other, in this process: nothing here is to be kept from a program that may only call tools."""
    from lab import cell, entry

    lines = os.fdopen(os.dup(0), "rb")
    _take_input_away()
    _limit(hello)

    def ask(line):
        _write(CHANNEL, nonce, "call", line.encode("ascii"))
        return lines.readline().decode("ascii")

    cell.connect(ask)
    while text := lines.readline().decode("ascii"):
        _write(CHANNEL, nonce, "reply", entry.answer(text, hello["resultBytes"]).encode("ascii"))
    os._exit(0)


def _take_input_away():
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _split(hello, nonce):
    """The code to run; the expected values were sent to the host and never reached this process."""
    from lab import entry

    out, into = os.pipe()
    process = os.fork()
    if process == 0:
        _limit(hello)
        text = sys.stdin.buffer.readline().decode("ascii")
        answer = entry.answer(text, hello["resultBytes"]).encode("ascii")
        head, _, rest = answer.partition(b"\n")
        header = json.loads(head)
        if header["kind"] == "next":
            _write(CHANNEL, nonce, "plan", json.dumps(header["withheld"]).encode())
        else:
            _write(CHANNEL, nonce, "reply", answer)
        while rest:
            rest = rest[os.write(into, rest) :]
        os._exit(0)
    os.close(into)
    text = _exactly(out, hello["requestBytes"])
    os.close(out)
    _, status = os.waitpid(process, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0 or not text:
        os._exit(code if code >= 0 else 128 - code)
    return text.decode("ascii")


def _apart(hello, text):
    """The answer of a copy of this process, in which alone the program runs; nothing of it is left afterwards."""
    nonce = os.urandom(16).hex().encode()
    out, into = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(out)
        os.close(CHANNEL)  # the way outside is closed to it
        channel = fcntl.fcntl(into, fcntl.F_DUPFD_CLOEXEC, APART)  # the program's own files begin at 3
        os.close(into)
        reply, done = [], _thread.allocate_lock()
        done.acquire()
        _thread.start_new_thread(_deliver, (channel, nonce, reply, done))
        raise Forked(hello, text, reply, done)
    os.close(into)
    reply = _read(out, nonce)
    os.close(out)
    if reply is not None:
        os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    if hello["sandboxed"]:
        _clear()
    if reply is None:
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
    return reply


def _read(out, nonce):
    """A frame; None where the process ended without one."""
    head = _exactly(out, len(nonce))
    if head == b"":
        return None
    length = b""
    while head == nonce and not length.endswith(b"\n"):
        more = os.read(out, 1)
        if len(length) > 40 or not more:
            head = b""
        length += more
    if head != nonce or not length.split()[-1].isdigit():
        return b'{"kind": "forged", "words": "the program wrote to the channel of results"}\n'
    return _exactly(out, int(length.split()[-1]))


def _exactly(out, length):
    parts, left = [], length
    while left > 0 and (part := os.read(out, min(left, 2**20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _clear():
    """Other processes and files: nothing here is older than the program but this process and the first one."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    for name in os.listdir("/tmp"):
        _remove(os.path.join("/tmp", name))


def _remove(path):
    """Folders are lifted out of theirs one by one: a path may be longer than the system takes, and deeper than Python recurses."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    above = os.path.join(os.path.dirname(path), os.urandom(16).hex())
    os.chmod(path, 0o700)
    folders, lifted = [path], 0
    while folders:
        folder = folders.pop()
        for name in os.listdir(folder):
            inner = os.path.join(folder, name)
            if os.path.islink(inner) or not os.path.isdir(inner):
                os.unlink(inner)
                continue
            os.chmod(inner, 0o700)
            lifted += 1
            folders.append(f"{above}-{lifted}")
            os.rename(inner, folders[-1])
        os.rmdir(folder)


def _answer(hello, text, reply, done, pause=signal.pause):
    """Runs the program, in the main thread as any other: signals are taken up nowhere else."""
    from lab import entry

    _limit(hello)
    release, myself, leave = done.release, os.getpid, os._exit
    process = myself()
    try:
        reply.append(entry.answer(text, hello["resultBytes"]))
    finally:
        if myself() != process:
            leave(0)  # a copy that the program made of itself, and that came to its end
        release()
        while True:
            pause()


def _deliver(channel, nonce, reply, done, write=os.write, leave=os._exit):
    """Runs in a separate thread, whose frames the program cannot reach: only they have the nonce."""
    done.acquire()
    answer = reply[0] if reply else '{"kind": "memory", "words": "no memory was left for the answer"}\n'
    try:
        body = answer.encode("ascii")
        rest = b"%s reply %d\n%s" % (nonce, body.__len__(), body)
        while rest:
            rest = rest[write(channel, rest) :]
    finally:
        leave(1)


def _limit(hello):
    """Inside the namespace: a limit set outside would be shared between the sandboxes of one user."""
    limits = {
        resource.RLIMIT_AS: hello["memoryBytes"] + STACK_BYTES,
        resource.RLIMIT_CPU: int(hello["wallSeconds"] * hello["cells"]) + 2,
        resource.RLIMIT_FSIZE: hello["fileBytes"],
        resource.RLIMIT_NPROC: hello["processes"],
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_STACK: STACK_BYTES,
    }
    for which, most in limits.items():
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (most, most))


def _write(channel, nonce, kind, body):
    rest = b"%s %s %d\n" % (nonce, kind.encode(), len(body)) + body
    while rest:
        rest = rest[os.write(channel, rest) :]


try:
    main()
except Forked as forked:
    work = forked.args  # and the frames above, with all that they held, are gone
_answer(*work)
