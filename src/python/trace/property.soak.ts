import fc from "fast-check";
import { expect, test } from "vitest";
import { checkPrograms, samePaths } from "./property.test-helper.ts";
import { hasPython } from "./python.test-helper.ts";
import { randomProgram } from "./random-program.test-helper.ts";

const slice = process.env.SOAK_SLICE === "ci";
const size = slice ? 40 : 200;
const batches = slice ? 1 : 50;

test.skipIf(!hasPython)(
  `${batches * size} random programs: every trace is proven, and a plain run shows the same states and result (skipped without python3)`,
  () => {
    for (let batch = 0; batch < batches; batch++) {
      const { findings } = checkPrograms(fc.sample(randomProgram, { numRuns: size, seed: 1_000 + batch }));
      expect(findings.slice(0, 1), `seed ${1_000 + batch}`).toEqual([]);
    }
  },
);

test.skipIf(!hasPython)(
  "an input that takes the same path changes nothing but the arguments and the final value (skipped without python3)",
  () => {
    const { compared, different } = samePaths(
      fc.sample(randomProgram, { numRuns: slice ? 16 : 400, seed: 31 }),
    );
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(slice ? 8 : 200);
  },
);
