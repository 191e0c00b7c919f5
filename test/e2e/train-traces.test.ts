import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readLog } from "../../src/storage/index.ts";
import { statelab, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("traces");
const run = (...args: string[]) => statelab(root, ...args);

/** `n = 3`, `m = 3`, `assert (m) == 3`, with the states of Python. */
function row(n: number) {
  const lines = [
    { code: `n = ${n}`, state: { n } },
    { code: `m = ${n}`, state: { n, m: n } },
    { code: `assert (m) == ${n}`, state: { n, m: n } },
  ];
  return { code: lines.map(({ code }) => `${code}\n`).join(""), literal: String(n), lines };
}

function folderOf(name: string, rows: readonly object[]): void {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, "traces.jsonl"), rows.map((each) => `${JSON.stringify(each)}\n`).join(""));
}

const config = `
task: { name: code-traces, folder: traces, mostStateWords: 4 }
model: { name: lstm, layers: 1, width: 32 }
train: { steps: 120, batch: 8, learningRate: 0.002, warmupSteps: 5, loss: next-token }
stateSupervision: { head: decoder, state: changed }
`;

beforeAll(() => {
  folderOf("traces", [...[2, 3, 4, 5].map(row), { id: "long", trace: row(12345) }]);
  folderOf("bare", [{ code: "assert (1) == 1\n", literal: "1" }]);
  writeFileSync(join(root, "traces.yaml"), config);
});

test("the states of a folder of traces are learned by a decoder; memory and what is left out are told", async () => {
  const { stderr } = await succeed(root, "train traces.yaml --out run");
  // n 12345 and m 12345 are of seven words.
  expect(stderr).toContain(
    "stateSupervision: 2 of 10 states are longer than task.mostStateWords and left out\n",
  );
  expect(stderr).toMatch(/lstm: \d+ parameters, 120 steps; about \d+ MiB and .+/);
  const steps = readLog(join(root, "run", "metrics.jsonl")) as { stateLoss: number; stateAccuracy: number }[];
  const mean = (of: typeof steps) =>
    of.reduce((sum, { stateAccuracy }) => sum + stateAccuracy, 0) / of.length;
  // A guess of the number in "n 3" and its end has (3 + 1/4) / 4 = 0.81.
  expect(mean(steps.slice(0, 5))).toBeLessThan(0.7);
  expect(mean(steps.slice(-20))).toBeGreaterThan(0.9);
  expect(steps.at(-1)!.stateLoss).toBeLessThan(steps[0].stateLoss / 2);
  const { model } = JSON.parse(readFileSync(join(root, "run", "tokenizer.json"), "utf8"));
  expect(Object.keys(model.vocab)).toEqual(expect.arrayContaining(["n", "m", " ", "2"]));
});

test("programs without states are refused in one sentence, and nothing is written", async () => {
  const { code, stdout, stderr } = await run("train traces.yaml --set task.folder=bare --out no");
  expect(stderr).toBe(
    'statelab: traces.yaml, stateSupervision: expected programs with the state after each line, got "none". Rows of statelab data trace have it\n',
  );
  expect([code, stdout, existsSync(join(root, "no"))]).toEqual([2, "", false]);
});
