import fc from "fast-check";
import { expect } from "vitest";
import { pythonTest } from "../trace/python.test-helper.ts";
import { randomProgram } from "../trace/random-program.test-helper.ts";
import { compareWithBdb } from "./bdb.test-helper.ts";

const [batches, size] = process.env.SOAK_SLICE === "ci" ? [1, 80] : [10, 200];

pythonTest(
  `${batches * size} random programs: the debugger stops where bdb stops, with its locals, and goes back to what was on the way`,
  () => {
    let [moments, moves] = [0, 0];
    for (let batch = 0; batch < batches; batch++) {
      const seed = 5_000 + batch;
      const { findings, ...tally } = compareWithBdb(fc.sample(randomProgram, { numRuns: size, seed }), seed);
      expect(findings.slice(0, 1), `seed ${seed}`).toEqual([]);
      moments += tally.moments;
      moves += Object.values(tally.compared).reduce((sum, count) => sum + count, 0);
    }
    console.log(`${moves} moves compared with bdb, ${moments} moments gone back to`);
    expect(moves).toBeGreaterThan(5 * batches * size);
  },
);
