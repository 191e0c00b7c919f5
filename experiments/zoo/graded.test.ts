import fc from "fast-check";
import { expect, test } from "vitest";
import type { ZooCell } from "../../src/records/zoo.ts";
import { cellsOf } from "./cells.ts";
import { columns, gradedColumns } from "./columns.ts";
import { gradedFindings, gradedTable, hasLearned, orderedPairs, orderOf } from "./graded.ts";
import { zooPart } from "./keeping.ts";
import { levelOf, predictedOrders, predictionOf } from "./predictions.ts";
import { zooFindings } from "./report.ts";
import { rows } from "./rows.ts";
import { configOf, settings, testsOf } from "./settings.ts";

const { laptop } = settings;

const cellOf = (row: string, trained: readonly number[], more: Partial<ZooCell["runs"][number]> = {}) => ({
  ...{ row, column: "mqar", settings: "a", rate: 0.005, parameters: 1, state: 1, seconds: 1 },
  ...{ date: "2026-01-01", grid: [] },
  runs: trained.map((share, seed) => ({
    ...{ seed, rate: 0.005, easiest: 1, trained: share, longer: share / 2 },
    ...more,
  })),
});

test("each column of memory has an order of built-in rows, none of them twice, and nothing is predicted to be held or not", () => {
  expect(Object.keys(predictedOrders)).toEqual(gradedColumns);
  for (const [column, order] of Object.entries(predictedOrders)) {
    const named = order.flatMap((level) => level.rows);
    expect(new Set(named).size).toBe(named.length);
    for (const row of named) expect(Object.keys(rows)).toContain(row);
    expect(levelOf("mine", column)).toBeUndefined();
  }
  for (const column of gradedColumns) expect(predictionOf("gru", column)).toBeUndefined();
});

test("an order holds where each seed of the one is above each seed of the other, and in no other case", () => {
  const shares = fc.array(fc.integer({ min: 0, max: 98 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(shares, shares, (a, b) => {
      const [one, other] = [a, b].map((each) =>
        cellOf(
          "gru",
          each.map((share) => share / 100),
        ),
      );
      const all = (test: (x: number, y: number) => boolean) => a.every((x) => b.every((y) => test(x, y)));
      const wanted = all((x, y) => x > y) ? "held" : all((x, y) => x < y) ? "against" : "open";
      expect(orderOf(one, other)).toBe(wanted);
    }),
    { seed: 1 },
  );
});

test("where both have all that was trained, longer programs tell them apart", () => {
  const full = cellOf("transformer", [1, 0.99], { longer: 0.9 });
  const less = cellOf("gla", [0.99, 1], { longer: 0.4 });
  expect([orderOf(full, less), orderOf(less, full)]).toEqual(["held", "against"]);
  expect(orderOf(full, cellOf("gla", [0.98, 1], { longer: 0.95 }))).toBe("open"); // by what was trained
});

test("where nobody can be compared that is said", () => {
  const alone = [cellOf("transformer", [1]), cellOf("gru", [0.1], { easiest: 0.2 })];
  expect(gradedFindings(alone)).toEqual([
    "MQAR: no two architectures that the prediction orders have both learned their training. Not learned in this budget, and not compared: GRU.",
  ]);
});

test("who has all of the hardest programs may have forgotten the easiest, of which its last stage has none", () => {
  const forgetful = { easiest: 0.5 };
  expect(hasLearned(cellOf("transformer", [0.96, 1], forgetful))).toBe(true);
  expect(hasLearned(cellOf("transformer", [0.94, 1], forgetful))).toBe(false);
  expect(hasLearned(cellOf("transformer", [0.1, 0.2]))).toBe(true);
});

test("who has learned neither the easiest nor the hardest programs in every seed is compared with nobody, and said not to have", () => {
  const cells = [
    cellOf("transformer", [1, 1]),
    cellOf("deltanet", [0.5, 0.6]),
    cellOf("gla", [0.7, 0.8]),
    cellOf("gru", [0.1, 0.1], { easiest: 0.9499 }),
    cellOf("lact", [0.2, 0.3]),
  ];
  expect(cells.map(hasLearned)).toEqual([true, true, true, false, true]);
  expect(orderedPairs(cells)).toEqual([
    { higher: "transformer", lower: "deltanet", order: "held" },
    { higher: "transformer", lower: "gla", order: "held" },
    { higher: "deltanet", lower: "gla", order: "against" },
  ]);
  const findings = [
    "MQAR: of 3 pairs of architectures that the prediction orders, 2 are in that order in every seed, 1 in the other, 0 in neither. Not learned in this budget, and not compared: GRU.",
    "MQAR: DeltaNet [-1,1] was predicted to remember more than GLA, and remembers less in every seed.",
  ];
  expect(gradedFindings(cells)).toEqual(findings);
  expect(zooFindings(cells)).toEqual(findings); // cells of memory are no predictions of states
  const { rows: lines } = gradedTable("mqar", cells);
  expect(lines.map((line) => [line[0], line[1], line[3]])).toEqual([
    ["Transformer", "1", "100.0\u00A0% (100.0–100.0)"],
    ["DeltaNet [-1,1]", "4", "55.0\u00A0% (50.0–60.0)"],
    ["GLA", "5", "75.0\u00A0% (70.0–80.0)"],
    ["GRU", "7", "not learned in this budget"],
    ["LaCT", "–", "25.0\u00A0% (20.0–30.0)"],
  ]);
  expect(zooPart(cells)).toContain(
    "| DeltaNet [-1,1] | 4 | 100.0\u00A0% (100.0–100.0) | 55.0\u00A0% (50.0–60.0) |",
  );
  expect(zooPart([])).not.toContain("MQAR");
});

test("it is trained by stages of its own, with short convolutions where there are any, and asked three times", () => {
  const of = (row: string) => configOf(laptop, rows[row], columns.mqar, { seed: 0, rate: 0.005 });
  for (const row of ["deltanet", "sse", "log-linear", "cached"])
    expect(of(row).model).toMatchObject({ layers: 2, convolution: 4 });
  expect(of("gru").model).not.toHaveProperty("convolution");
  expect(of("gru").curriculum).toMatchObject({
    maximumSteps: 750,
    stages: [
      [{ pairs: 2, length: 16 }],
      [
        { pairs: 2, length: 16 },
        { pairs: 4, length: 16 },
      ],
      [
        { pairs: 4, length: 16 },
        { pairs: 8, length: 32 },
      ],
      [
        { pairs: 8, length: 32 },
        { pairs: 16, length: 64 },
      ],
    ],
  });
  expect(testsOf(laptop, columns.mqar)).toEqual([
    { name: "easiest", change: { pairs: 2, length: 16 }, asTrained: true, chance: 1 / 2 },
    { name: "trained", change: { pairs: 16, length: 64 }, asTrained: true, chance: 1 / 16 },
    { name: "longer", change: { pairs: 32, length: 128 }, asTrained: false, chance: 1 / 32 },
  ]);
});

test("every answer counts, not the last alone", () => {
  const at = { setting: "mqar", model: "gru", seed: 0 };
  const results = testsOf(laptop, columns.mqar).map((tested, i) => ({
    ...{ ...at, tested: { ...tested, programs: 1, reveals: 1 }, references: {} },
    ...{ accuracy: 0.9 - i / 10, accuracyLast: 0, accuracyByReveal: [0] },
  }));
  const training = [{ ...at, parameters: 7, learningRate: 0.01, steps: 1, seconds: 2, points: [] }];
  const measurements = [{ ...at, name: "cell", note: "settings", at: { rate: 0.01 }, values: { state: 3 } }];
  const [cell] = cellsOf({ date: "2026-01-01", results, training, measurements } as never);
  expect(cell.runs).toEqual([{ seed: 0, rate: 0.01, easiest: 0.9, trained: 0.8, longer: 0.7 }]);
});
