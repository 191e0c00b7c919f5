import { expect, test } from "vitest";
import { massDecay } from "./decay.ts";
import { deviation, referenceRows } from "./published-values.ts";

const rows = process.env.SOAK_SLICE === "ci" ? referenceRows.slice(0, 1) : referenceRows;

test.each(rows)(
  "p = $probability, r = $spacing: 40,000 reveals agree with the reference within 3 errors",
  (row) => {
    const { probability, spacing } = row;
    const measured = massDecay({ variables: 5, probability, spacing, reveals: 40_000, seed: 0 });
    for (const { filter, nats } of measured.filters) {
      const reference: number | undefined = row.nats[filter as keyof typeof row.nats];
      if (reference !== undefined) expect(Math.abs(deviation(nats, reference)), filter).toBeLessThan(3);
    }
    const { massSlope, entropyRate } = measured;
    const error = Math.hypot(massSlope.standardError, entropyRate.standardError);
    expect(Math.abs(massSlope.mean - entropyRate.mean)).toBeLessThan(3 * error);
  },
);
