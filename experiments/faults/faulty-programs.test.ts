import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { hasPython, runPython } from "../../src/python/trace/python.test-helper.ts";
import { carriedBy, drawProgram } from "./failure-onset.ts";
import { drawCalls, drawSource } from "./fault-localisation.ts";

test.skipIf(!hasPython)(
  "programs that are drawn run to their end, and Python's run of a scripted one has the states of its own interpreter (skipped without python3)",
  () => {
    const drawn = Array.from({ length: 5 }, (_, i) => {
      const rng = rngFrom(7).fork(i);
      const [call] = drawCalls(rng.fork("calls"), 1);
      return {
        operation: "outcomes",
        source: drawSource(rng),
        tests: [`type(${call}) is int`],
        maximumLines: 2_000,
      };
    });
    const scripted = Array.from({ length: 5 }, (_, i) => {
      const program = drawProgram(rngFrom(8).fork(i));
      const { a, b, c } = carriedBy(program, {}, 0, () => false).at(-1)!.state; // every program has lines
      const source = program.source.replace("return a", "return a, b, c");
      return { operation: "outcomes", source, tests: [`f() == (${a}, ${b}, ${c})`] };
    });
    const answers = runPython([...drawn, ...scripted]);
    expect(answers).toEqual(answers.map(() => ({ outcomes: ["passed"] })));
    expect(new Set(drawn.map(({ source }) => source)).size).toBe(5);
  },
  180_000,
);
