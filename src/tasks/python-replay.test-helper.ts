/**
 * @file Recomputes true states from the text alone with CPython, for tests: programs are run; for other texts
 * `NAME.witness.test-helper.py` next to the task computes the state. Shares no code with the generators.
 *
 *     replay([{ task: "parity", params: {}, text: "101", names: ["parity"] }]) = [["0"]]
 */

import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const hasPython = spawnSync("python3", ["--version"]).status === 0;

export interface Replayed {
  readonly task: string;
  /** With every default. */
  readonly params: unknown;
  /** The text up to the state's offset; for a session, its code lines. */
  readonly text: string;
  /** Variables of the state. */
  readonly names: readonly string[];
}

/** The value of each variable, as the text says. */
export function replay(jobs: readonly Replayed[]): string[][] {
  const beside = fileURLToPath(new URL(".", import.meta.url));
  const answer = execFileSync("python3", ["-c", DRIVER, beside], { input: JSON.stringify(jobs) });
  return JSON.parse(answer.toString());
}

/** For each program: whether it runs to its end, and whether one of its asserts fails. */
export function runPrograms(programs: readonly string[]): ("ran" | "assertion failed")[] {
  return JSON.parse(execFileSync("python3", ["-c", RUNNER], { input: JSON.stringify(programs) }).toString());
}

const DRIVER = `
import contextlib, io, json, os, runpy, sys

def session(text, names, params):
    held = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text, held)
    return [eval(name, held) for name in names]

def witness_of(task):
    path = os.path.join(sys.argv[1], task + ".witness.test-helper.py")
    return runpy.run_path(path)["state"] if os.path.exists(path) else session

jobs = json.load(sys.stdin)
witnesses = {job["task"]: witness_of(job["task"]) for job in jobs}
json.dump([
    [str(value) for value in witnesses[job["task"]](job["text"], job["names"], job["params"])] for job in jobs
], sys.stdout)
`;

const RUNNER = `
import json, sys

def run(program):
    try:
        exec(program, {})
        return "ran"
    except AssertionError:
        return "assertion failed"

json.dump([run(program) for program in json.load(sys.stdin)], sys.stdout)
`;
