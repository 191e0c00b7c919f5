import fc from "fast-check";
import { expect, test } from "vitest";
import { checkPrograms, samePaths } from "./property.test-helper.ts";
import { hasPython } from "./python.test-helper.ts";
import { randomProgram } from "./random-program.test-helper.ts";

test.skipIf(!hasPython)(
  "8 random programs: every trace is proven, and a plain run shows the same states and result (skipped without python3)",
  () => {
    const programs = fc.sample(randomProgram, { numRuns: 8, seed: 20_261_122 });
    const { findings, raised, lines } = checkPrograms(programs);
    const shortest = findings.toSorted((a, b) => a.program.source.length - b.program.source.length)[0];
    expect(
      shortest && `${shortest.problem}\n${shortest.program.source}\n${shortest.program.call}`,
    ).toBeUndefined();
    expect(findings).toEqual([]);
    // the programs are worth tracing
    expect(raised).toBeGreaterThan(0);
    expect(lines).toBeGreaterThan(300);
  },
);

test.skipIf(!hasPython)(
  "an input that takes the same path changes nothing but the arguments and the final value (skipped without python3)",
  () => {
    const { compared, different } = samePaths(fc.sample(randomProgram, { numRuns: 4, seed: 31 }));
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(1);
  },
);
