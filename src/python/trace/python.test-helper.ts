/** @file Requests to the Python side, answered by the python3 on PATH, each run in a fork: for tests of known programs alone. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { labSources } from "../sandbox/tracer-sources.ts";

const { importer, modules } = labSources();
const driver = `
import gc, importlib, json, os, sys
names = {"__name__": "importer"}
modules = json.loads(sys.stdin.readline())
exec(modules.pop("importer"), names)
names["install"](modules)
from lab.entry import handle
for name in modules: importlib.import_module("lab." + name)
gc.freeze()
def apart(text):
    out, into = os.pipe()
    if os.fork() == 0:
        os.close(out)
        last, answer, _ = handle(text)
        sys.stdout.flush()
        with open(into, "w") as file: file.write("=+"[last] + answer)
        os._exit(0)
    os.close(into)
    with open(out) as file: answer = file.read()
    os.wait()
    return answer
for row, line in enumerate(sys.stdin):
    os.mkdir(str(row))
    os.chdir(str(row))
    answer = "=" + line
    while answer[:1] == "=": answer = apart(answer[1:])
    os.chdir("..")
    print("\\n@" + answer[1:], flush=True)
`;

export const hasPython = spawnSync("python3", ["-I", "--version"]).status === 0;

/** A test that needs it. */
export const pythonTest = (title: string, body: () => void | Promise<void>, milliseconds?: number): void =>
  test.skipIf(!hasPython)(`${title} (skipped without python3)`, body, milliseconds);

export interface Request {
  readonly operation: string;
  readonly [argument: string]: unknown;
}

export function runPython(requests: readonly Request[]): unknown[] {
  const input = [{ ...modules, importer }, ...requests].map((line) => `${JSON.stringify(line)}\n`).join("");
  const cwd = mkdtempSync(join(tmpdir(), "python-"));
  const run = spawnSync("python3", ["-I", "-B", "-c", driver], {
    cwd,
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    timeout: 1_800_000,
  });
  rmSync(cwd, { recursive: true });
  // other lines are what the programs printed
  const answers = run.stdout.split("\n").filter((line) => line.startsWith("@"));
  if (run.status !== 0 || answers.length !== requests.length)
    throw new Error(`python3 answered ${answers.length} of ${requests.length} requests: ${run.stderr}`);
  return answers.map((answer) => JSON.parse(answer.slice(1)));
}
