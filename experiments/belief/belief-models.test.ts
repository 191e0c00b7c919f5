import { expect, test } from "vitest";
import { beliefModels } from "./belief-models.ts";

/** Of each model what it pays above the exact filter, a seed each, as trained and beyond; it has learned its training. */
function resultOf(paid: Readonly<Record<string, readonly number[]>>) {
  const seeds = [0, 1];
  const models = Object.entries(paid);
  const at = [
    { test: "full reveals", partials: 0 },
    { test: "as trained", partials: 3 },
    { test: "beyond", partials: 3 },
    { test: "beyond", partials: 10.5 },
  ];
  return {
    ...{ scale: "laptop", seeds, training: [], date: "2026-01-01", claims: [], findings: [], labels: {} },
    models: Object.fromEntries(models.map(([model]) => [model, { label: model, summary: "" }])),
    results: models.flatMap(([model]) =>
      seeds.map((seed) => ({
        ...{ setting: "", model, seed, references: {}, accuracy: 1, accuracyLast: 1, accuracyByReveal: [1] },
        tested: { name: "full reveals", change: {}, asTrained: true, chance: 1 / 3, programs: 1, reveals: 1 },
      })),
    ),
    measurements: models.flatMap(([model, own]) =>
      seeds.flatMap((seed) =>
        at.map((place) => ({
          ...{ name: "natsAboveExact", setting: "", model, seed, at: place },
          values: {
            ...{ exact: 0.5, nats: 0.5 + own[seed], above: own[seed], standardError: 0 },
            ...{ row: 0.2, rowColumn: 0.1, sinkhorn: 0 },
          },
        })),
      ),
    ),
  } as never;
}

const pageOf = (paid: Parameters<typeof resultOf>[0]) => beliefModels.report(resultOf(paid)).page;
test("who pays less than linear marginals is drawn again on a scale of its own, where others do not", () => {
  const heading = "The same, of who stays below linear marginals";
  expect(pageOf({ gru: [0.03, 0.03], transformer: [0.3, 0.3] })).toContain(heading);
  expect(pageOf({ gru: [0.03, 0.03], lstm: [0.04, 0.02] })).not.toContain(heading);
});
