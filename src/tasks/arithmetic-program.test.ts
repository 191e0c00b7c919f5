import fc from "fast-check";
import { expect, test } from "vitest";
import { arithmeticProgram } from "./arithmetic-program.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

const text = (params: object, seed: number, index = 0) =>
  exampleFrom(prepareTask(arithmeticProgram, params), exampleStream(seed, "train")(index)).text;

test("a program has as many expressions as asked for, reads what it assigns, and its numbers have few enough digits", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      fc.nat(),
      (length, digits, seed) => {
        const lines = text({ length, digits }, seed).trimEnd().split("\n");
        const expressions = lines.filter((line) => / [+-] /.test(line));
        expect(expressions).toHaveLength(length);
        const program = lines.slice(0, -1);
        expect(program.slice(-length)).toEqual(expressions); // numbers first
        for (const [i, line] of program.entries()) {
          const [target, value] = line.split(" = ");
          const reads = (later: string) => new RegExp(`\\b${target}\\b`).test(later.split(" = ")[1]);
          const last = target === "a" && !program.slice(i + 1).some((later) => later.startsWith("a = "));
          expect(last || program.slice(i + 1).some(reads)).toBe(true);
          for (const [number] of value.matchAll(/\d+/g)) expect(number.length).toBeLessThanOrEqual(digits);
        }
        const assigned = new Set(program.slice(0, -length).map((line) => line[0]));
        expect(assigned.size).toBe(program.length - length);
      },
    ),
    { numRuns: 60, seed: 1 },
  );
});

test("more than six expressions are refused in one sentence", () => {
  expect(() => prepareTask(arithmeticProgram, { length: [2, 7] })).toThrow(
    "arithmetic-program: expected length to be at most 6, got [2,7]",
  );
});

test("below bounds the numbers of the program, and the states keep their classes", () => {
  const all = prepareTask(arithmeticProgram, { digits: 2, length: 3 });
  const small = prepareTask(arithmeticProgram, { digits: 2, length: 3, below: 12 });
  expect(small.values).toEqual(all.values);
  const numbers = Array.from({ length: 200 }, (_, i) => exampleFrom(small, exampleStream(7, "train")(i)).text)
    .flatMap((program) => [...program.replace(/assert.*/, "").matchAll(/\d+/g)])
    .map(([number]) => Number(number));
  expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([0, 11]);
  const written = { digits: 2, length: 3, below: 100 };
  expect(text(written, 4)).toBe(text({ digits: 2, length: 3 }, 4));
});

test("numbers above those of the digits are refused in one sentence", () => {
  expect(() => prepareTask(arithmeticProgram, { digits: 1, below: 11 })).toThrow(
    "arithmetic-program: expected below to be at most 10^digits, 10, got 11",
  );
});
