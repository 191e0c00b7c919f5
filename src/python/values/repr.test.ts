import fc from "fast-check";
import { expect, test } from "vitest";
import type { PythonValue } from "../../schemas/trace.ts";
import { pythonTest, runPython } from "../trace/python.test-helper.ts";
import { pythonLiteral, stateLiterals } from "./repr.ts";

// Assigned for long: which characters Python escapes depends on the Unicode version that it knows.
const character = fc.oneof(
  fc.constantFrom(..."'\"\\\n\r\t\0\u007f\u00e9\u200b\u2028\u00ad\u3000\u{1f600}\ue000"),
  fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code)),
);
const text = fc.string({ unit: character, maxLength: 6 });
const atom: fc.Arbitrary<PythonValue> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.maxSafeInteger(),
  text,
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 90n }).map((value) => ({ int: String(value) })),
  fc.constantFrom("0.5", "1e+300", "-0.0", "1e-07").map((float) => ({ float })),
);
/** Values with no object in two places, for which Python's own repr is the literal. */
const value = fc.letrec<{ value: PythonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(tie("value"), { maxLength: 3 }).map((tuple) => ({ tuple })),
    fc.array(fc.tuple(fc.integer(), tie("value")), { maxLength: 3 }).map((pairs) => ({
      dict: [...new Map(pairs)].map(([key, item]): [PythonValue, PythonValue] => [key, item]),
    })),
  ),
})).value;

pythonTest("a literal is Python's own repr, and Python's lab reads it back to the same value", () => {
  const values = fc.sample(value, { numRuns: 300, seed: 5 });
  const literals = values.map(pythonLiteral);
  const together = Array.from({ length: 10 }, (_, i) => literals.slice(30 * i, 30 * i + 30));
  const answers = runPython(
    together.map((some) => ({
      operation: "trace",
      source: "def f(*given): return [(a, repr(a)) for a in given]",
      call: `f(${some.join(", ")})`,
      options: {},
    })),
  ) as { result: { tuple: [PythonValue, string] }[] }[];
  const pairs = answers.flatMap(({ result }) => result);
  expect(pairs).toHaveLength(values.length);
  for (const [i, { tuple }] of pairs.entries()) {
    expect(tuple[1]).toBe(literals[i]);
    expect(tuple[0]).toEqual(values[i]);
  }
});

test("a shared object is written in each place, a cycle ends, and what has no literal stands in brackets", () => {
  expect(stateLiterals({ a: { id: 1, is: [1] }, b: { tuple: [{ ref: 1 }] } })).toEqual({
    a: "[1]",
    b: "([1],)",
  });
  expect(pythonLiteral({ id: 1, is: [{ ref: 1 }] })).toBe("[<...>]");
  expect(pythonLiteral({ object: "Node", fields: { value: 1, next: null } })).toBe(
    "<Node value=1 next=None>",
  );
  expect(pythonLiteral({ object: "Counter", data: { dict: [["a", 2]] } })).toBe("<Counter {'a': 2}>");
  expect(pythonLiteral({ dict: [["a", [1, { cut: 5 }]], { cut: 2 }] })).toBe(
    "{'a': [1, <5 more>], <2 more>}",
  );
  expect(pythonLiteral({ set: [] })).toBe("set()");
  expect(pythonLiteral({ text: "aa", cut: 7 })).toBe("<'aa' and 7 more>");
});
