import { expect, test } from "vitest";
import { RunConfig } from "../schemas/run-config.ts";
import { emptyBatch, taskNamed } from "../tasks/index.ts";
import { planData, trainingData } from "./data.ts";
import { repl, tinyConfig } from "./fixture.test-helper.ts";

function batches(config: RunConfig, stage: number, steps: number) {
  const data = trainingData(planData(repl(), config)).stages[stage];
  return Array.from({ length: steps }, (_, i) => {
    const batch = emptyBatch(config.train.batch, data.length);
    data.fill(batch, i + 1);
    return { batch, data, step: i + 1 };
  });
}

test("a row is called hardest exactly where its program has the reveals of the last variant", () => {
  const drawn = { 1: 0, 2: 0, 4: 0 };
  for (const { batch, data, step } of batches(tinyConfig({ batch: 50 }), 2, 12)) {
    for (let row = 0; row < batch.rows; row++) {
      const reveals = batch.revealStarts[row + 1] - batch.revealStarts[row]; // 4 commands: 4, 2 or 1 of them
      drawn[(4 / reveals) as 1 | 2 | 4]++;
      expect(data.isHardest(step, row)).toBe(reveals === 1);
    }
  }
  // 600 draws from three variants: 200 each, with a deviation of 11.5.
  for (const count of Object.values(drawn)) expect(Math.abs(count - 200)).toBeLessThan(50);
});

test("example i is the same however the examples are cut into batches", () => {
  const rows = (batch: number, steps: number) =>
    batches(tinyConfig({ batch }), 2, steps).flatMap(({ batch: { tokens, rows: count, length } }) =>
      Array.from({ length: count }, (_, row) => [...tokens.subarray(row * length, (row + 1) * length)]),
    );
  const wanted = rows(12, 1);
  expect(new Set(wanted.map(String)).size).toBeGreaterThan(6);
  expect(rows(6, 2)).toEqual(wanted);
  expect(rows(4, 3)).toEqual(wanted);
});

test("a stage's length is that of its longest variant, in words and in characters", () => {
  for (const tokenizer of ["word", "character"] as const) {
    const config = { ...tinyConfig({ batch: 60 }), tokenizer };
    const { stages } = planData(repl(), config);
    expect(stages.map(({ length }) => length)).toEqual([
      stages[0].length,
      stages[0].length,
      stages[0].length,
    ]);
    const [{ batch }] = batches(config, 2, 1);
    const longest = Math.max(...batch.lengths);
    expect(batch.length).toBe(Math.ceil(longest / 32) * 32); // filled up to a multiple of 32
    expect(Math.min(...batch.lengths)).toBeLessThan(batch.length);
  }
});

test("a batch may be as long as its longest example, in quarters of what is possible, with the same rows", () => {
  const config = RunConfig.parse({
    task: { name: "parity-program", length: [2, 40] },
    model: { name: "lstm" },
    train: { batch: 3, padding: "longest" },
  });
  const [stage] = trainingData(planData(taskNamed("parity-program"), config)).stages;
  expect(stage.length).toBe(128);
  expect(stage.lengths).toEqual([32, 64, 96, 128]);
  const drawn = new Set<number>();
  for (let step = 1; step <= 60; step++) {
    const [whole, cut] = [stage.length, stage.partsOf(step)[0].length].map((length) => emptyBatch(3, length));
    stage.fill(whole, step);
    stage.fill(cut, step);
    drawn.add(cut.length);
    const longest = Math.max(...whole.lengths);
    expect(cut.length).toBeGreaterThanOrEqual(longest);
    expect(cut.length - longest).toBeLessThan(32);
    for (const row of [0, 1, 2]) {
      const tokens = ({ length, lengths, tokens: all }: typeof cut) =>
        all.subarray(row * length, row * length + lengths[row]);
      expect(tokens(cut)).toEqual(tokens(whole));
    }
  }
  expect([...drawn].sort((a, b) => a - b)).toEqual(stage.lengths);
  const [fixed] = trainingData(
    planData(taskNamed("parity-program"), {
      ...config,
      train: { ...config.train, padding: "max" },
    }),
  ).stages;
  expect(fixed.lengths).toEqual([128]);
  expect(fixed.partsOf(1)).toEqual([{ rows: [[0], [1], [2]], length: 128 }]);
});

test("a stage of a task that asks for states asks where it says, whatever variant of it was drawn", () => {
  const task = taskNamed("group-words");
  const stages = [[{ length: 4 }, { length: 9, targets: "last" }]];
  const config = RunConfig.parse({
    task: { name: "group-words" },
    model: { name: "lstm" },
    train: { batch: 40 },
    curriculum: { stages },
  });
  const [stage] = trainingData(planData(task, config)).stages;
  const batch = emptyBatch(40, stage.length);
  stage.fill(batch, 1);
  const kinds = Array.from({ length: 40 }, (_, row) => {
    const positions = batch.revealPositions.slice(batch.revealStarts[row], batch.revealStarts[row + 1]);
    return `${batch.lengths[row]} words: ${positions.map((at) => at - row * batch.length).join(" ")}`;
  });
  expect(new Set(kinds)).toEqual(new Set(["5 words: 1 2 3 4", "10 words: 9"]));
  expect(stage.isHardest(1, kinds.indexOf("10 words: 9"))).toBe(true);
});

test.each([
  [[[{ spacing: 1 }, { variables: 3 }]], /^curriculum\.stages\.0: .* that keep the vocabulary, got \[/],
  [
    [[{ spacing: 1 }], [{ spacng: 2 }]],
    /^curriculum\.stages\.1\.0: .*, got "spacng"\. Did you mean spacing\?$/,
  ],
  [[[{ spacing: 9 }]], /^repl: expected every spacing to be at most the number of commands \(4\), got 9/],
])("stages %j are refused in one sentence", (stages, sentence) => {
  expect(() => planData(repl(), tinyConfig({}, { stages }))).toThrow(sentence);
});

test("stages may make right what the task alone would get wrong", () => {
  const config = RunConfig.parse({
    task: { name: "repl", commands: 2 }, // with the default spacing of 4 nothing would be revealed
    model: { name: "lstm" },
    curriculum: { stages: [[{ spacing: 1 }, { spacing: 2 }]] },
  });
  expect(planData(repl(), config).stages).toHaveLength(1);
});

test("every change is prepared once, whoever asks for it", () => {
  let prepared = 0;
  const inner = repl();
  const task = {
    ...inner,
    prepare(params: unknown) {
      prepared++;
      return inner.prepare(params);
    },
  };
  const stages = [[{ spacing: 1 }], [{ spacing: 1 }, { spacing: 2 }]];
  const data = trainingData(
    planData(task, tinyConfig({ stopWhenSolved: { every: 5, examples: 3 } }, { stages })),
  );
  expect(data.heldOut?.test.programs).toBeGreaterThan(0);
  expect(prepared).toBe(3); // 1, 2, and as it is configured
  expect(data.variant({ spacing: 2 }, "test")).toBe(data.variant({ spacing: 2 }, "again"));
  expect(prepared).toBe(3);
});
