import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { parseTrace } from "../../schemas/trace.ts";
import { goldenPrograms, raises } from "./golden-programs.test-helper.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";

const lab = fileURLToPath(new URL("../tracer/", import.meta.url));

/** Runs a script with the lab at hand; it reads JSON from stdin and prints JSON. */
function python(script: string, input: unknown): unknown {
  const head = `
import json, sys
sys.path.insert(0, ${JSON.stringify(lab)})
from importlib import import_module
from lab import compare, replay, trace
from lab.entry import Next

class Unwatched:  # what a run reads is watched for good, and here all run in one process
    refused, read = None, {}
    def __init__(self, *_): pass
    def collect(self): pass
    def finish(self): return {}
trace.begin = replay.begin = compare.begin = Unwatched

attempts = []
def traced(request):
    """The record; the verdict of each attempt is in attempts."""
    operation = "trace"
    while True:
        answer = import_module("lab." + operation).handle(request)
        if type(answer) is not Next:
            attempts.append(answer["proven"])
            return answer
        request, operation = answer.request, answer.request["operation"]
        if operation == "trace":
            attempts.append(False)
`;
  const cwd = mkdtempSync(join(tmpdir(), "python-"));
  const run = spawnSync("python3", ["-I", "-B", "-c", head + script], {
    cwd,
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  rmSync(cwd, { recursive: true });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout);
}

const programs = goldenPrograms
  .filter(({ name }) => !raises(name))
  .map(({ name, source, call }) => ({ name, source, call }));

pythonTest("a trace from which the last line that changed the state is missing is not proven", () => {
  const script = `
from lab.run import Line
original, found = replay.TraceRun, []
def sets(lines, i):
    return lines[i]["role"] == "step" and lines[i]["set"] != {}
for program in json.load(sys.stdin):
    lines = traced(program)["lines"]
    changed = [i for i in range(1, len(lines)) if sets(lines, i)]
    if not changed:
        continue
    missing = lines[changed[-1]]["code"]
    def without(lines, *rest):
        last = max((i for i, line in enumerate(lines) if line.text == missing), default=None)
        if last is not None:
            line = lines[last]
            lines[last] = Line("pass", line.number, line.helper, line.stack, line.role)
        return original(lines, *rest)
    replay.TraceRun = without
    attempts.clear()
    end = traced(program)["proven"]
    # later attempts keep conditions or calls: other lines, which may be right
    found.append([program["name"], attempts[0], end])
    replay.TraceRun = original
print(json.dumps(found))
`;
  // the result does not depend on the second variable: its state alone tells
  const unused = { name: "unused", source: "def f(n):\n    m = n * 2\n    return n\n", call: "f(3)" };
  const some = [unused, ...programs.filter((_, i) => i % 3 === 0)];
  const found = python(script, some) as [string, boolean, boolean][];
  expect(found.length).toBeGreaterThan(50);
  expect(found[0]).toEqual(["unused", false, false]);
  expect(found.filter(([, proven]) => proven)).toEqual([]);
});

pythonTest(
  "where the unroller takes every condition for harmless, the proof finds those that are not",
  () => {
    const script = `
from lab.effects import Effects
Effects.free = lambda self, node, lookup: True
print(json.dumps([[traced(program)["proven"], attempts.pop(0), attempts.clear()] for program in json.load(sys.stdin)]))
`;
    const names =
      "if-effect if-effect-not walrus-while while-effect defaultdict generator-effect-at-end".split(" ");
    const found = python(
      script,
      programs.filter(({ name }) => names.includes(name)),
    );
    // the first attempt is wrong and found out; with every condition kept the second is right
    expect(found).toEqual(names.map(() => [true, false, null]));
  },
);

pythonTest(
  "what a program puts in the place of json's functions changes nothing of what is said of it",
  () => {
    const body = "def f(n):\n    m = [n, {n: 1.5}]\n    return m\n";
    const replaced = "import json\njson.loads = json.JSONDecoder.decode = lambda *_: {'n': 99}\n";
    const [plain, lying] = runPython(
      ["", replaced].map((head) => ({ operation: "trace", source: head + body, call: "f(2)" })),
    ).map((answer) => parseTrace(answer, "answer"));
    expect(plain.proven).toBe(true);
    expect(lying.result).toEqual(plain.result);
    expect(lying.lines.at(-1)!.state).toEqual({ n: 2, m: [2, { dict: [[2, { float: "1.5" }]] }] });
  },
);
