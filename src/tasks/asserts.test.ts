import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { asserts } from "./asserts.ts";
import { exampleFrom, exampleStream, prepareTask, readProgram, tasks, windowedBayes } from "./index.ts";
import { hasPython, runPrograms } from "./python-replay.test-helper.ts";
import { readAsserts } from "./repl/parser.ts";

const anyParams = fc.record({
  variables: fc.integer({ min: 2, max: 8 }),
  commandKind: fc.constantFrom("swap", "permutation"),
  commands: fc.integer({ min: 1, max: 30 }),
  spacing: fc.oneof(
    fc.integer({ min: 1, max: 40 }),
    fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 3 }),
  ),
});

test.skipIf(!hasPython)(
  "CPython runs every program to its end, and stops where one asserted value is changed (skipped without python3)",
  () => {
    const programs = (
      [
        "asserts",
        "recall",
        "state-recall",
        "parity-program",
        "list-permutation",
        "arithmetic-program",
      ] as const
    ).flatMap((name) => {
      const prepared = prepareTask<unknown>(tasks[name] as never, {});
      return Array.from({ length: 30 }, (_, i) => {
        const { text, reveals } = exampleFrom(prepared, exampleStream(4, "train")(i));
        const { start, end, value } = reveals[i % reveals.length];
        const other = prepared.values.find((each) => each !== value);
        return { right: text, wrong: `${text.slice(0, start)}${other}${text.slice(end)}` };
      });
    });
    expect(runPrograms(programs.map(({ right }) => right))).toEqual(programs.map(() => "ran"));
    expect(runPrograms(programs.map(({ wrong }) => wrong))).toEqual(programs.map(() => "assertion failed"));
  },
);

test("the same program as a session is judged the same by every window", () => {
  fc.assert(
    fc.property(
      anyParams,
      fc.nat(),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      (params, seed, window, boundary) => {
        const { text } = exampleFrom(prepareTask(asserts, params), rngFrom(seed));
        const session = text
          .replace(/^(.+) = range\(\d+\)\n/, (_, names: string) =>
            names
              .split(", ")
              .map((name, i) => `>>> ${name} = ${i}\n`)
              .join(""),
          )
          .replaceAll(/^assert (.) == (.)$/gm, "print('$1', $1)\n$1 $2");
        expect(readAsserts(text)).toEqual(readProgram(session));
        const seen = { window, boundary };
        expect(windowedBayes(readAsserts(text), seen)).toEqual(windowedBayes(readProgram(session), seen));
      },
    ),
    { seed: 7, numRuns: 100 },
  );
});

test.each([
  ["a = 1\n", "line 1", "range"],
  ["a, b = range(2)\na, b = b\n", "line 2", "as many values"],
  ["a, b = range(2)\nassert c == 1\n", "line 2", "assigned before"],
])("%j is refused with its line", (text, line, reason) => {
  expect(() => readAsserts(text)).toThrow(line);
  expect(() => readAsserts(text)).toThrow(reason);
});
