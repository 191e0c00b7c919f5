import fc from "fast-check";
import { expect, test } from "vitest";
import type { GradedCell, GradedRun, ZooCell } from "../../src/schemas/zoo.ts";
import { zooTests } from "./config.ts";
import { columns, gradedColumns, rows } from "./data.ts";
import { zooParts } from "./page.ts";
import { findPrediction, predictedLevel, predictedOrders } from "./predictions.ts";
import { cellHasLearned, compareCells, gradedTable, orderedPairs } from "./table.ts";
import { chosenRate, resultCells, zooChecks } from "./zoo.ts";

const cellOf = (row: string, trained: readonly number[], more: Partial<GradedRun> = {}): GradedCell => ({
  ...{ row, column: "mqar", settings: "a", rate: 0.005, parameters: 1, state: 1, seconds: 1 },
  ...{ date: "2026-01-01", grid: [] },
  runs: trained.map((share, seed) => ({
    ...{ seed, rate: 0.005, easiest: 1, trained: share, longer: share / 2 },
    ...more,
  })),
});

const unmet = (cells: readonly ZooCell[]) => zooChecks(cells).flatMap(({ name, met }) => (met ? [] : [name]));

test("each graded column has an order of built-in rows, none of them twice, and nothing is predicted to be held or not", () => {
  expect(Object.keys(predictedOrders)).toEqual(gradedColumns);
  for (const [column, order] of Object.entries(predictedOrders)) {
    const named = order.flatMap((level) => level.rows);
    expect(new Set(named).size).toBe(named.length);
    for (const row of named) expect(Object.keys(rows)).toContain(row);
    expect(predictedLevel("mine", column)).toBeUndefined();
  }
  for (const column of gradedColumns) expect(findPrediction("gru", column)).toBeUndefined();
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
      expect(compareCells(one, other)).toBe(wanted);
    }),
    { seed: 1 },
  );
});

test("where both have all that was trained, longer programs tell them apart", () => {
  const full = cellOf("transformer", [1, 0.99], { longer: 0.9 });
  const less = cellOf("gla", [0.99, 1], { longer: 0.4 });
  expect([compareCells(full, less), compareCells(less, full)]).toEqual(["held", "against"]);
  expect(compareCells(full, cellOf("gla", [0.98, 1], { longer: 0.95 }))).toBe("open"); // by what was trained
});

const beliefOf = (row: string, trained: readonly number[], longer = 0.5) => ({
  ...cellOf(row, trained),
  column: "pfsa",
  runs: trained.map((above, seed) => ({
    ...{ seed, rate: 0.005, easiest: 1, trained: 0.9, longer: 0.9 },
    nats: { trained: above, longer },
  })),
});

const partsOf = (cells: Parameters<typeof zooParts>[0]) => new Map(zooParts(cells)).get("zoo graded");

test("where the state is moved by chance, fewer excess loss over the exact filter are better", () => {
  const [near, far] = [beliefOf("gru", [0.02, 0.03]), beliefOf("gla", [0.04, 0.05])];
  expect([compareCells(near, far), compareCells(far, near)]).toEqual(["held", "against"]);
  expect(compareCells(near, beliefOf("gla", [0.03, 0.05]))).toBe("open");
  const both = [beliefOf("gru", [0.01, -0.001], 0.2), beliefOf("gla", [0.001, 0.002], 0.1)];
  expect(compareCells(both[0], both[1])).toBe("against"); // both are at the filter: longer programs tell
  expect(compareCells(near, beliefOf("gla", [0.005, 0.005], 0.1))).toBe("against"); // by what was trained
  const found = [near, beliefOf("deltanet", [0.01, 0.015])];
  expect(unmet(found)).toEqual([
    "swaps by chance: pairs in the predicted order",
    "swaps by chance: GRU above DeltaNet [-1,1]",
  ]);
  const { columns: names, rows: lines } = gradedTable("pfsa", found);
  expect(names.slice(2, 5)).toEqual([
    "all named",
    "16 words (nats above)",
    "64 words, not trained (nats above)",
  ]);
  expect(lines[1].slice(0, 5)).toEqual([
    ...["DeltaNet [-1,1]", "2", "100.0\u00A0% (100.0\u2013100.0)"],
    ...["0.013 (0.010\u20130.015)", "0.500 (0.500\u20130.500)"],
  ]);
  expect(partsOf(found)).toContain("### swaps by chance");
});

test("the rate is chosen by nats where there are any, by accuracies elsewhere", () => {
  const run = (rate: number, trained: number, nats?: number) => ({
    ...{ seed: 0, rate, trained, longer: trained, easiest: 1 },
    ...(nats !== undefined && { nats: { trained: nats, longer: nats } }),
  });
  expect(chosenRate([run(0.002, 0.9, 0.2), run(0.005, 0.8, 0.1)])).toBe(0.005);
  expect(chosenRate([run(0.002, 0.9), run(0.005, 0.8)])).toBe(0.002);
  expect(chosenRate([run(0.005, 0.9, 0.1), run(0.002, 0.8, 0.1)])).toBe(0.002); // of equals the smallest
});

test("where no two models can be compared no order is checked", () => {
  expect(zooChecks([cellOf("transformer", [1]), cellOf("gru", [0.1], { easiest: 0.2 })])).toEqual([]);
});

test("who has all of the hardest programs may have forgotten the easiest, of which its last stage has none", () => {
  const forgetful = { easiest: 0.5 };
  expect(cellHasLearned(cellOf("transformer", [0.96, 1], forgetful))).toBe(true);
  expect(cellHasLearned(cellOf("transformer", [0.94, 1], forgetful))).toBe(false);
  expect(cellHasLearned(cellOf("transformer", [0.1, 0.2]))).toBe(true);
});

test("who has learned neither the easiest nor the hardest programs in every seed is compared with none", () => {
  const cells = [
    cellOf("transformer", [1, 1]),
    cellOf("deltanet", [0.5, 0.6]),
    cellOf("gla", [0.7, 0.8]),
    cellOf("gru", [0.1, 0.1], { easiest: 0.9499 }),
    cellOf("lact", [0.2, 0.3]),
  ];
  expect(cells.map(cellHasLearned)).toEqual([true, true, true, false, true]);
  expect(orderedPairs(cells)).toEqual([
    { higher: "transformer", lower: "deltanet", order: "held" },
    { higher: "transformer", lower: "gla", order: "held" },
    { higher: "deltanet", lower: "gla", order: "against" },
  ]);
  expect(unmet(cells)).toEqual(["MQAR: pairs in the predicted order", "MQAR: DeltaNet [-1,1] above GLA"]);
  const { rows: lines } = gradedTable("mqar", cells);
  expect(lines.map((line) => [line[0], line[1], line[3]])).toEqual([
    ["Transformer", "1", "100.0\u00A0% (100.0–100.0)"],
    ["DeltaNet [-1,1]", "4", "55.0\u00A0% (50.0–60.0)"],
    ["GLA", "5", "75.0\u00A0% (70.0–80.0)"],
    ["GRU", "7", "does not fit"],
    ["LaCT", "–", "25.0\u00A0% (20.0–30.0)"],
  ]);
  expect(partsOf(cells)).toContain(
    "| DeltaNet [-1,1] | 4 | 100.0\u00A0% (100.0–100.0) | 55.0\u00A0% (50.0–60.0) |",
  );
  expect(partsOf([])).not.toContain("MQAR");
});

test("chance is one of the values that are asked for, and only the longest are not as trained", () => {
  const tests = zooTests(columns.mqar);
  expect(tests.map(({ asTrained }) => asTrained)).toEqual([true, true, false]);
  for (const { change, chance } of tests) expect(chance).toBe(1 / Number(change.pairs));
});

/** The runs of a cell of one GRU, whose i-th test came to `own(i)`. */
function runsOf(column: string, own: (i: number) => object) {
  const at = { setting: column, model: "gru", seed: 0 };
  const results = zooTests(columns[column]).map((tested, i) => ({
    ...{ ...at, tested: { ...tested, programs: 1, reveals: 1 }, references: {} },
    ...own(i),
  }));
  const training = [{ ...at, parameters: 7, learningRate: 0.01, steps: 1, seconds: 2, points: [] }];
  const measurements = [{ ...at, at: { rate: 0.01 }, name: "cell", note: "settings", values: { state: 3 } }];
  return resultCells({ date: "2026-01-01", results, training, measurements } as never)[0].runs as GradedRun[];
}

test("every answer counts, not the last alone", () => {
  const runs = runsOf("mqar", (i) => ({
    ...{ accuracy: 0.9 - i / 10, accuracyLast: 0, accuracyByReveal: [0] },
  }));
  expect(runs).toEqual([{ seed: 0, rate: 0.01, easiest: 0.9, trained: 0.8, longer: 0.7 }]);
});

test("of chance, shares are of what the exact filter has, and nats are those that were measured", () => {
  const [run] = runsOf("pfsa", (i) => ({
    references: { exactBayes: { accuracy: 0.8, accuracyLast: 0.8, accuracyByReveal: [0.8] } },
    ...{ accuracy: 0.9 - i / 10, accuracyLast: 0, accuracyByReveal: [0] },
    nats: { vocabulary: 0.5 + i / 4, values: 0.1, exact: 0.25 },
  }));
  expect(run).toMatchObject({ easiest: 1, trained: 1, nats: { trained: 0.5, longer: 0.75 } });
  expect(run.longer).toBeCloseTo(0.875, 12);
});
