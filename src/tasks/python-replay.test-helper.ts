/**
 * @file True states found anew by CPython from the text alone, for tests: a program is run, an expression evaluated, bits
 * counted, permutations applied to letters. Shares no code with the generators.
 *
 *     replay([{ task: "parity", params: {}, text: "101", names: ["parity"] }]) = [["0"]]
 */

import { execFileSync, spawnSync } from "node:child_process";

export const hasPython = spawnSync("python3", ["--version"]).status === 0;

export interface Replayed {
  readonly task: string;
  /** With every default. */
  readonly params: unknown;
  /** The text up to where the state holds; of a session, its lines of code. */
  readonly text: string;
  /** Variables of the state. */
  readonly names: readonly string[];
}

/** The value of each variable, as the text says. */
export function replay(jobs: readonly Replayed[]): string[][] {
  return JSON.parse(execFileSync("python3", ["-c", DRIVER], { input: JSON.stringify(jobs) }).toString());
}

/** For each program: whether it runs to its end, and whether one of its asserts fails. */
export function runPrograms(programs: readonly string[]): ("ran" | "assertion failed")[] {
  return JSON.parse(execFileSync("python3", ["-c", RUNNER], { input: JSON.stringify(programs) }).toString());
}

const DRIVER = `
import contextlib, io, json, re, sys

def session(text, names, params):
    held = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text, held)
    return [eval(name, held) for name in names]

def expression(text, names, params):
    return [eval(text) % params["modulus"]]

def ones(text, names, params):
    return [text.count("1") % 2]

def product(text, names, params):
    parts = []
    for i, factor in enumerate(params["group"].split(" x ")):
        words = [word.split(",")[i] for word in re.findall(r"\\[(.*?)\\]", text)]
        if factor[0] == "Z":
            parts.append(str(sum(map(int, words)) % int(factor[2:])))
            continue
        things = [str(i + 1) for i in range(int(factor[2:]))]
        for word in words:
            things = [things[int(place) - 1] for place in word]
        parts.append("".join(things))
    return ["[" + ",".join(parts) + "]"]

replays = {"modular-arithmetic": expression, "parity": ones, "group-words": product}
json.dump([
    [str(value) for value in replays.get(job["task"], session)(job["text"], job["names"], job["params"])]
    for job in json.load(sys.stdin)
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
