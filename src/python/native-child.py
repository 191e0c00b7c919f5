"""The process inside bubblewrap: limits itself, imports the lab from what it is sent, and answers one request.

Started by native.ts. It reads one line of JSON from stdin and writes frames to descriptor 3:

    <- {"nonce": "5f...", "modules": {...}, "text": "{\\"operation\\": ...}", "memoryBytes": ..., ...}
    -> 5f... started 0\\n
    -> 5f... reply 57\\n{"kind": "done", ...}\\n{"outcome": "passed"}

The program runs in a thread of its own, so that no frame below it holds the nonce. Before "started" nothing is the
program's fault.
"""

import json
import os
import resource
import signal
import sys
import threading

CHANNEL = 3
STACK_BYTES = 64 * 2**20


def main():
    hello = json.loads(sys.stdin.buffer.readline())
    nonce = hello.pop("nonce").encode()  # in no object that the program's thread can reach
    nothing = os.open("/dev/null", os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # _thread.interrupt_main would wake this thread

    names = {"__name__": "importer"}
    exec(hello["importer"], names)
    names["install"](hello["modules"])
    from lab import entry

    entry.start(False)
    _limit(hello)
    _write(nonce, "started", b"")

    answered, done = [], threading.Lock()
    done.acquire()

    def work():
        try:
            answered.append(entry.answer(hello["text"], hello["resultBytes"]))
        finally:
            done.release()

    threading.stack_size(STACK_BYTES)
    threading.Thread(target=work, daemon=True).start()
    threading.stack_size(0)
    done.acquire()
    reply = answered[0] if answered else '{"kind": "memory", "words": "no memory was left for the answer"}\n'
    _write(nonce, "reply", reply.encode("ascii"))
    os._exit(0)


def _limit(hello):
    """Inside the namespace: a limit set outside would be shared between the sandboxes of one user."""
    limits = {
        resource.RLIMIT_AS: hello["memoryBytes"] + STACK_BYTES,
        resource.RLIMIT_CPU: int(hello["wallSeconds"]) + 2,
        resource.RLIMIT_FSIZE: hello["fileBytes"],
        resource.RLIMIT_NPROC: hello["processes"],
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_CORE: 0,
    }
    for which, most in limits.items():
        resource.setrlimit(which, (most, most))


def _write(nonce, kind, body):
    rest = b"%s %s %d\n" % (nonce, kind.encode(), len(body)) + body
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]


main()
