import { expect, test } from "vitest";
import { arithmeticProgram } from "./arithmetic-program.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

const text = (params: object, seed: number, index = 0) =>
  exampleFrom(prepareTask(arithmeticProgram, params), exampleStream(seed, "train")(index)).text;

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
