import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, tasks } from "./index.ts";
import { hasPython, runPrograms } from "./python-replay.test-helper.ts";
import { readAsserts } from "./repl/parser.ts";

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

test.each([
  ["a = 1\n", "line 1", "range"],
  ["a, b = range(2)\na, b = b\n", "line 2", "as many values"],
  ["a, b = range(2)\nassert c == 1\n", "line 2", "assigned before"],
])("%j is refused with its line", (text, line, reason) => {
  expect(() => readAsserts(text)).toThrow(line);
  expect(() => readAsserts(text)).toThrow(reason);
});
