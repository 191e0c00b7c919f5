import { expect, test } from "vitest";
import { ridgeClassifiers, ridgeRows } from "./ridge-classifier.ts";
import { rngFrom } from "./rng.ts";

const rng = rngFrom(1);
const rows = Array.from({ length: 600 }, () => Array.from({ length: 4 }, () => rng.normal()));

test("a class that is linear in the features is found, one that is their product is not", () => {
  const linear = rows.map(([x, y]) => (x + y > 0 ? 1 : 0));
  const product = rows.map(([x, y]) => (x * y > 0 ? 1 : 0));
  const half = rows.slice(0, 300);
  const [one, other] = ridgeClassifiers(ridgeRows(half), [linear.slice(0, 300), product.slice(0, 300)], 2);
  const accuracy = (classify: (row: number[]) => number, labels: number[]) =>
    rows.slice(300).filter((row, i) => classify(row) === labels[300 + i]).length / 300;
  expect(accuracy(one, linear)).toBeGreaterThan(0.95);
  expect(Math.abs(accuracy(other, product) - 0.5)).toBeLessThan(0.12);
});

test("several labelings together give what each gives alone, and shifting or scaling all features changes nothing", () => {
  const labels = [0, 1].map((feature) =>
    rows.map((row) => (row[feature] > 0.3 ? 2 : row[feature] < -1 ? 1 : 0)),
  );
  const together = ridgeClassifiers(ridgeRows(rows), labels, 3);
  const moved = ridgeClassifiers(ridgeRows(rows.map((row) => row.map((x) => 7 * x + 100))), labels, 3);
  for (const [l, own] of labels.entries()) {
    const [alone] = ridgeClassifiers(ridgeRows(rows), [own], 3);
    for (const row of rows.slice(0, 100)) {
      expect(together[l](row)).toBe(alone(row));
      expect(moved[l](row.map((x) => 7 * x + 100))).toBe(alone(row));
    }
  }
});
