import fc from "fast-check";
import { expect, test } from "vitest";
import { RunConfig } from "../schemas/run-config.ts";
import { taskNamed } from "../tasks/index.ts";
import { type Part, partsByLength } from "./batch-layout.ts";
import { planData, trainingData } from "./data.ts";
import { expectResumed, setUpOf, whole } from "./fixture.test-helper.ts";

const inThirtyTwos = (length: number) => Math.ceil(length / 32) * 32;
const costOf = (parts: readonly Part[]) =>
  parts.reduce((sum, { rows, length }) => sum + length * (rows.length + 1), 0);

/** Every way to put the rows into parts, side by side in length or not. */
function* divisions(rows: readonly number[]): Generator<number[][]> {
  if (rows.length === 0) {
    yield [];
    return;
  }
  const [first, ...rest] = rows;
  for (let chosen = 0; chosen < 2 ** rest.length; chosen++) {
    const isIn = (i: number) => ((chosen >> i) & 1) === 1;
    const part = [first, ...rest.filter((_, i) => isIn(i))];
    if (!Number.isInteger(Math.log2(part.length))) continue;
    for (const others of divisions(rest.filter((_, i) => !isIn(i)))) yield [part, ...others];
  }
}

test("the division of the header's example", () => {
  const parts = partsByLength([254, 60, 518, 156, 188, 254, 188, 156], inThirtyTwos);
  expect(parts).toEqual([
    { rows: [[2]], length: 544 },
    { rows: [[0], [5]], length: 256 },
    { rows: [[4], [6], [3], [7]], length: 192 },
    { rows: [[1]], length: 64 },
  ]);
});

test("each row is in one part that holds its example, and no division into parts of 1, 2, 4 rows costs less", () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lengths, (needed) => {
      const parts = partsByLength(needed, inThirtyTwos);
      expect(parts.flatMap(({ rows }) => rows.flat()).toSorted()).toEqual(needed.map((_, row) => row));
      for (const { rows, length } of parts) {
        for (const row of rows) expect(row).toHaveLength(1);
        expect(length).toBe(inThirtyTwos(Math.max(...rows.map(([row]) => needed[row]))));
      }
      const costs = [...divisions(needed.map((_, row) => row))].map((division) =>
        costOf(
          division.map((rows) => ({
            rows: rows.map((row) => [row]),
            length: inThirtyTwos(Math.max(...rows.map((row) => needed[row]))),
          })),
        ),
      );
      expect(costOf(parts)).toBe(Math.min(...costs));
    }),
    { numRuns: 60, seed: 4 },
  );
});

const configOf = (padding: string, loss: string, more: object = {}) =>
  RunConfig.parse({
    seed: 3,
    task: { name: "repl", variables: 3, commands: 8 },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, chunk: 16 },
    train: { steps: 10, batch: 4, padding, loss, learningRate: 0.01, shares: 1 },
    curriculum: { stages: [[{ spacing: 4 }, { spacing: 1, reveal: "full" }]] },
    ...more,
  });

const sessions = {};
// One variant alone, as the exact loss wants it: the length is drawn.
const automata = {
  task: { name: "pfsa", variables: 3, commands: 6, spacing: [1, 6], probability: 0.3 },
  curriculum: { stages: [[{}]] },
};

test.each([
  ["revealed-values", sessions],
  ["next-token", sessions],
  ["posterior", automata],
])("a batch in parts trains as the whole does: %s", async (loss, more) => {
  const [stage] = trainingData(
    planData(taskNamed(configOf("bucket", loss, more).task.name), configOf("bucket", loss, more)),
  ).stages;
  const sizes = Array.from({ length: 10 }, (_, i) => stage.partsOf(i + 1));
  const counts = sizes.map((parts) => parts.length);
  expect(Math.max(...counts)).toBeGreaterThan(1);
  expect(Math.min(...counts)).toBe(1);
  // Whose rows stand in another order than those of the batch.
  expect(sizes.some((parts) => parts.length === 1 && parts[0].rows.join() !== "0,1,2,3")).toBe(true);
  const [long, parts] = [
    await whole(configOf("max", loss, more)),
    await whole(configOf("bucket", loss, more)),
  ];
  for (const [i, { loss, gradientNorm, ...counted }] of parts.records.entries()) {
    const { loss: ofWhole, gradientNorm: normOfWhole, ...countedInWhole } = long.records[i];
    expect(loss).toBeCloseTo(ofWhole, 5);
    expect(gradientNorm / normOfWhole).toBeCloseTo(1, 4);
    expect(counted).toEqual(countedInWhole);
  }
  await expectResumed(configOf("bucket", loss, more), parts);
});

test("a loss that does not follow from those of parts is refused", () => {
  const config = configOf("bucket", "revealed-values", { stateSupervision: { head: "linear" } });
  expect(() => setUpOf(config)).toThrow(
    /train\.padding: expected "max" or "longest" with the objective linear, got "bucket"/,
  );
});
