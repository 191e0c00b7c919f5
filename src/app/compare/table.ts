/** @file The table of a comparison: for each test the baseline, then every contender with its difference. */

import { brackets, percent } from "../../report/shares.ts";
import type { Table } from "../../report/text-table.ts";
import type { Comparison, MeasuredDifference } from "./difference.ts";

export function comparisonTable(comparisons: readonly Comparison[]): Table {
  return {
    columns: ["test", "contender", "seeds", "all reveals", "difference", "last reveal", "difference"],
    rows: comparisons.flatMap(({ test, baseline, contender, seeds, accuracy, accuracyLast }, i) => [
      // The baseline has one row per test.
      ...(comparisons.findIndex((other) => other.test === test) === i
        ? [[test, baseline, seeds.length, percent(accuracy.baseline), "", percent(accuracyLast.baseline), ""]]
        : []),
      [
        test,
        contender,
        seeds.length,
        percent(accuracy.contender),
        signedDifference(accuracy),
        percent(accuracyLast.contender),
        signedDifference(accuracyLast),
      ],
    ]),
  };
}

/** `+12.3 [+8.1, +16.5]`, in points of a hundred. */
export function signedDifference({
  difference,
  uncertainty,
}: Pick<MeasuredDifference, "difference" | "uncertainty">): string {
  const points = `${difference < 0 ? "" : "+"}${(100 * difference).toFixed(1)}`;
  return uncertainty.kind === "none" ? points : `${points} ${brackets(uncertainty.interval)}`;
}

/** Legend of the intervals, and the reason for a missing one. */
export function comparisonRemarks(comparisons: readonly Comparison[]): string[] {
  const programs = comparisons.flatMap(({ accuracy: { uncertainty } }) =>
    uncertainty.kind === "programs" ? [uncertainty.programs] : [],
  );
  const found = comparisons.flatMap(({ accuracy, contender }) => {
    const { uncertainty } = accuracy;
    switch (uncertainty.kind) {
      case "seeds":
        return ["[...]: 95 % confidence interval, paired by seed (Student's t)"];
      case "programs":
        return [
          `[...]: 95 % confidence interval of one seed, over ${range(programs)} common programs: other seeds may differ by more`,
        ];
      case "none":
        return [`${contender}: no interval: ${uncertainty.reason}`];
      default:
        return uncertainty satisfies never;
    }
  });
  return [...new Set(found)];
}

/** `196 to 200`, or `200` alone. */
function range(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? String(most) : `${least} to ${most}`;
}
