import { expect, test } from "vitest";
import { experiments } from "../index.ts";
import { defineMeasurement } from "./views.ts";

const kinds = [...new Set(Object.values(experiments).flatMap(({ measurements = [] }) => measurements))];

test("a kind finds its own rows by setting, model, seed and place, whatever else stands at it", () => {
  const kind = defineMeasurement({
    id: "beta",
    label: "mean beta",
    at: { rank: "by beta", place: "token" },
    values: { beta: "beta" },
  });
  const other = { setting: "", model: "lstm", seed: 0, name: "nats", at: {}, values: { nats: 1 } };
  const measurements = [0, 1].flatMap((seed) =>
    [1, 2].map((rank) => ({
      ...{ setting: "", model: "deltanet", seed, at: {} },
      ...kind.row({ at: { rank, place: 3 }, values: { beta: rank + seed } }),
    })),
  );
  const result = { measurements: [other, ...measurements] };
  expect(kind.of(result).map(({ values }) => values.beta)).toEqual([1, 2, 2, 3]);
  expect(kind.of(result, { seed: 1, at: { rank: 2 } }).map(({ values }) => values.beta)).toEqual([3]);
  expect(kind.of(result, { at: { place: 4 } })).toEqual([]);
});

test("ids and keys are words without spaces, and no two kinds have the same", () => {
  const ids = kinds.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, at, values } of kinds)
    for (const key of [id, ...Object.keys(at), ...Object.keys(values)])
      expect(key).toMatch(/^[a-z][a-zA-Z0-9]*$/);
});
