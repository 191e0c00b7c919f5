import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RunConfig } from "../schemas/run-config.ts";
import { allocateBatch, emptyBatch } from "../tasks/batch.ts";
import { taskNamed } from "../tasks/index.ts";
import { firstFit, mostRows } from "./batch-layout.ts";
import { planData, trainedHashes, trainingData } from "./data.ts";
import { expectResumed, setUpOf, whole } from "./fixture.test-helper.ts";

test("the header's example", () => {
  expect(firstFit([5, 3, 4, 2, 6], 9)).toEqual([[0, 1], [2, 3], [4]]);
  expect(firstFit([], 9)).toEqual([]);
});

const drawn = fc.record({
  room: fc.integer({ min: 1, max: 60 }),
  shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }),
});

test("every session is in one row, none holds more than N, order is kept, and no session would fit further in front", () => {
  fc.assert(
    fc.property(drawn, ({ room, shares }) => {
      const lengths = shares.map((share) => Math.round(share * room));
      const rows = firstFit(lengths, room);
      expect(rows.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
      const used = rows.map((row) => row.reduce((sum, i) => sum + lengths[i], 0));
      for (const [r, row] of rows.entries()) {
        expect(used[r]).toBeLessThanOrEqual(room);
        expect(row.length).toBeGreaterThan(0);
        expect(row).toEqual(row.toSorted((a, b) => a - b));
      }
      expect(rows.map(([first]) => first)).toEqual(rows.map(([first]) => first).toSorted((a, b) => a - b));
      for (const [r, row] of rows.entries())
        for (const i of row)
          for (const earlier of rows.slice(0, r)) {
            const then = earlier.filter((each) => each < i).reduce((sum, each) => sum + lengths[each], 0);
            expect(then + lengths[i]).toBeGreaterThan(room);
          }
      const longest = Math.max(0, ...lengths);
      expect(rows.length).toBeLessThanOrEqual(mostRows(lengths.length, longest, room));
    }),
    { seed: 6 },
  );
});

const sessions = {
  task: { name: "repl", variables: 3, commands: 8 },
  curriculum: { stages: [[{ spacing: 4 }, { spacing: 1, reveal: "full" }]] },
};
const words = {
  task: { name: "group-words" },
  curriculum: { stages: [[{ length: 4 }, { length: 9, targets: "last" }, { length: [1, 20] }]] },
};
// One variant alone, as the exact loss wants it: the length is drawn.
const automata = {
  task: { name: "pfsa", variables: 3, commands: 6, spacing: [1, 6], probability: 0.3 },
  curriculum: { stages: [[{}]] },
};

const configOf = (given: object, train: object = {}, model: object = { name: "deltanet", chunk: 16 }) =>
  RunConfig.parse({
    seed: 3,
    ...given,
    model: { layers: 1, width: 16, ...model },
    train: { steps: 5, batch: 6, learningRate: 0.01, ...train },
  });

/** The longest example that the only stage may draw. */
const longestOf = (config: RunConfig) => {
  const [stage] = planData(taskNamed(config.task.name), { ...config, tokenizer: "word" }).stages;
  return stage.length;
};

describe.each([
  ["words, asked for", sessions, "word"],
  ["characters", sessions, "character"],
  ["states, asked for", words, "word"],
] as const)("%s", (_, given, tokenizer) => {
  const config = RunConfig.parse({ ...configOf(given, { batch: 20 }), tokenizer });
  const task = taskNamed(config.task.name);
  const [apart] = trainingData(planData(task, config)).stages;
  const pack = Math.ceil(1.6 * apart.length);
  const data = trainingData(
    planData(task, RunConfig.parse({ ...config, train: { ...config.train, packedLength: pack } })),
  );
  const [stage] = data.stages;

  test("rows hold the examples of the step as they are alone, and nothing besides", () => {
    const counts = new Set<number>();
    for (let step = 1; step <= 6; step++) {
      const [{ rows, length }, ...others] = stage.partsOf(step);
      expect(others).toEqual([]);
      expect(length).toBe(pack);
      expect(rows.length).toBeLessThanOrEqual(stage.rows);
      counts.add(rows.length);
      const [one, many] = [emptyBatch(20, apart.length), emptyBatch(rows.length, length, 20)];
      // What stood there before is no part of it.
      for (const array of [many.tokens, many.targets, many.weights]) array.fill(7);
      apart.fill(one, step);
      stage.fill(many, step, { rows });
      const wanted = [many.tokens, many.targets, many.weights].map((array) =>
        new Array<number>(array.length).fill(0),
      );
      const fresh = new Array<number>(rows.length * length).fill(0);
      let number = 0;
      for (const [row, examples] of rows.entries()) {
        let at = row * length;
        for (const example of examples) {
          const used = one.lengths[example];
          const from = example * one.length;
          fresh[at] = 1;
          for (const [i, array] of [one.tokens, one.targets, one.weights].entries())
            for (let t = 0; t < used; t++) wanted[i][at + t] = array[from + t];
          expect([many.starts[number], many.lengths[number], many.hashes[number]]).toEqual([
            at,
            used,
            one.hashes[example],
          ]);
          const reveals = (batch: typeof one, at: number, start: number) =>
            [batch.revealPositions, batch.revealEnds].map((places) =>
              [...places.subarray(batch.revealStarts[at], batch.revealStarts[at + 1])].map(
                (each) => each - start,
              ),
            );
          expect(reveals(many, number, at)).toEqual(reveals(one, example, from));
          at += used;
          number++;
        }
      }
      expect([...many.tokens]).toEqual(wanted[0]);
      expect([...many.targets]).toEqual(wanted[1]);
      expect([...many.weights]).toEqual(wanted[2]);
      expect([...allocateBatch(many)]).toEqual(fresh);
      expect(stage.partsOf(step)).toEqual([{ rows, length }]); // a function of the step
    }
    expect(Math.max(...counts)).toBeLessThan(20);
  });

  test("what was trained on is the same", () => {
    const hashes = (of: typeof data) => trainedHashes(of, 20, 3, () => 0);
    expect(hashes(data)).toEqual(hashes(trainingData(planData(task, config))));
  });
});

test.each([
  ["revealed-values", sessions, { name: "deltanet", chunk: 16 }],
  ["revealed-values", sessions, { name: "gated-deltanet", chunk: 16 }],
  ["next-token", sessions, { name: "lstm", convolution: 3 }],
  ["revealed-values", sessions, { name: "gru" }],
  ["revealed-values", words, { name: "rnn" }],
  ["revealed-values", words, { name: "s5", stateSize: 16 }],
  ["revealed-values", sessions, { name: "rwkv7" }],
  ["posterior", automata, { name: "transformer" }],
  ["revealed-values", sessions, { name: "hybrid", layers: 2, pattern: ["gated-deltanet", "transformer"] }],
])("a training in packed rows is the one in rows of their own: %s, %j, %j", async (loss, given, model) => {
  const config = configOf(given, { loss }, model);
  const packed = configOf(given, { loss, packedLength: Math.ceil(1.7 * longestOf(config)) }, model);
  const [long, short] = [await whole(config), await whole(packed)];
  for (const [i, { loss, gradientNorm, ...counted }] of short.records.entries()) {
    const { loss: wanted, gradientNorm: wantedNorm, ...countedApart } = long.records[i];
    expect(Math.abs(loss - wanted)).toBeLessThan(1e-5);
    expect(gradientNorm / wantedNorm).toBeCloseTo(1, 4);
    expect(counted).toEqual(countedApart);
  }
  await expectResumed(packed, short);
});

const refused = (config: RunConfig) => () => setUpOf(config);

test("a session longer than a row is refused, by the longest that may be drawn", () => {
  expect(refused(configOf(words, { packedLength: 12 }))).toThrow(
    "train.packedLength: expected 21 positions or more, for the longest session of curriculum.stages.0, got 12",
  );
  expect(refused(configOf(words, { packedLength: 21 }))).not.toThrow();
  expect(RunConfig.safeParse({ ...configOf(words), train: { packedLength: 0 } }).success).toBe(false);
});

test.each([
  [{ model: { name: "lact" } }, /^train\.packedLength: .*, got "lact"\. Its chunks are counted/],
  [
    { model: { name: "hybrid", pattern: ["long-convolution"] } },
    /^train\.packedLength: .*, got "long-convolution"/,
  ],
  [
    { model: { name: "lstm", initialState: "trained" } },
    /packedLength: expected model\.initialState: "zeros"/,
  ],
  [{ train: { trainable: "initial-state" }, model: { name: "gru" } }, /expected model\.initialState/],
  [{ train: { padding: "bucket" } }, 'train.padding: expected "max" with train.packedLength, got "bucket"'],
  [{ stateSupervision: {} }, "train.packedLength: expected none with the objective linear, got 200"],
  [{ objective: "reward" }, /^train\.packedLength: expected none with the objective signal reward, got 200/],
  [{ data: { async: {} } }, "train.packedLength: expected none with data.async, got 200"],
])("%j is refused in one sentence", (change, words) => {
  const { model, train, ...more } = change as { model?: object; train?: object };
  const given = { ...sessions, curriculum: { stages: [[{ spacing: 4 }]] }, ...more };
  expect(refused(configOf(given, { packedLength: 200, ...train }, model))).toThrow(words);
});
