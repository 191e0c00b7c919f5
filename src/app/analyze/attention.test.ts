import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { attentionRow } from "../../analysis/attention.ts";
import { attentionLayers, rowAt } from "../../analysis/recording.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { openTrainedRun, testAbout } from "../run/open.ts";
import { trainRun } from "../run/train.ts";
import { analyseFolder } from "./folder.ts";
import { collect } from "./record-activations.ts";

const root = tmpFolder("attention");
const folder = join(root, "hybrid");
const { signal } = new AbortController();

const task = { name: "repl", variables: 3, commands: 6, spacing: 2 };

/** Both layers tap queries and keys; only those of the second are weighed by a softmax. */
beforeAll(async () => {
  const config = RunConfig.parse({
    seed: 4,
    task,
    model: {
      ...{ name: "hybrid", layers: 2, width: 16, feedForward: 16, pattern: ["deltanet", "transformer"] },
      ...{ deltanet: { heads: 2 }, transformer: { heads: 2 } },
    },
    train: { steps: 5, batch: 4, learningRate: 0.05, warmupSteps: 1 },
  });
  await trainRun(folder, config, { signal });
}, 60_000);

test("sessions that end with a command and no reveal are read to that command", async () => {
  const change = { commands: 5 }; // a reveal after every second
  const run = await openTrainedRun(folder);
  const { recording } = await collect(run, testAbout(run, change, 4), async () => {}, ["residual"]);
  const tap = recording.taps["layers.1.residual"];
  for (const [program, { ends, tokens }] of recording.programs.entries()) {
    expect(ends.at(-1)).toBe(tokens.length - 1);
    for (const end of ends) expect(rowAt(tap, program, end).every(Number.isFinite)).toBe(true);
  }
});

test("attention times values is what the model's heads have read", async () => {
  const run = await openTrainedRun(folder);
  const kept = ["layers.1.query", "key", "value", "heads"];
  const { recording, forward } = await collect(run, testAbout(run, {}, 4), async () => {}, kept);
  const { taps, programs } = recording;
  expect(attentionLayers(recording)).toEqual([1]);
  expect(Object.keys(taps)).toContain("layers.0.key");
  expect(Object.keys(taps)).not.toContain("layers.0.query"); // nobody reads it
  let largest = 0;
  let unlike = 0;
  for (const [program, { tokens }] of programs.entries()) {
    for (const token of tokens.keys()) {
      for (const head of [0, 1]) {
        const row = attentionRow(taps["layers.1.query"], taps["layers.1.key"], { program, token, head });
        const read = rowAt(taps["layers.1.heads"], program, token, head);
        const values = row.reduce<number[]>(
          (sum, share, s) =>
            sum.map((each, i) => each + share * rowAt(taps["layers.1.value"], program, s, head)[i]),
          Array.from(read, () => 0),
        );
        for (const [i, each] of values.entries()) largest = Math.max(largest, Math.abs(each - read[i]));
        unlike = Math.max(unlike, ...row.map((share) => Math.abs(share - 1 / row.length)));
      }
    }
  }
  expect(largest).toBeLessThan(1e-5);
  expect(unlike).toBeGreaterThan(0.1); // else a mean of the values would do as well
  await forward.release();
}, 60_000);

test("there is a map of each head of attention, and a model that has none is named", async () => {
  const options = { settings: [], programs: 20, seed: 0, command: "", tick: async () => {} };
  const only = ["attention"] as const;
  const { document, page } = await analyseFolder(folder, { ...options, only });
  expect(document.attention?.questions).toBe(60);
  expect(document.attention?.heads.map(({ layer, head }) => [layer, head])).toEqual([
    [1, 0],
    [1, 1],
  ]);
  expect(readFileSync(page, "utf8").match(/Attention, layer 1, head \d/g)).toHaveLength(4); // each with a description
  const figure = readFileSync(join(folder, "analysis", "figures", "attention-1.1.svg"), "utf8");
  expect(figure).toMatch(/>([abc]), ([abc]) = \2, \1</); // a line's name

  const other = join(root, "lstm");
  const model = { name: "lstm", layers: 1, width: 16, feedForward: 0 };
  await trainRun(other, RunConfig.parse({ task, model, train: { steps: 1, batch: 4 } }), { signal });
  expect(document.missing).toEqual({});
  const { document: none } = await analyseFolder(other, { ...options, only });
  expect(none.missing).toEqual({ attention: expect.stringMatching(/^no layer of this model is attention/) });
}, 60_000);
