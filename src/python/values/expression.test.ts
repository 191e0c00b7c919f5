import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PythonValue } from "../../schemas/python-value.ts";
import { pythonTest } from "../trace/python.test-helper.ts";
import { parseExpression } from "./expression.ts";
import { pythonLiteral } from "./repr.ts";
import { EvaluationError, toPythonValue, valueReader } from "./value.ts";

const state: Readonly<Record<string, PythonValue>> = {
  a: 3,
  b: -7,
  big: { int: "123456789012345678901" },
  x: { float: "2.5" },
  text: "héllo",
  xs: [4, 1, 3],
  ys: [[1], { tuple: [2, "b"] }, null],
  t: { tuple: [1, 2, 3] },
  s: { set: [1, 2] },
  d: {
    dict: [
      ["k", 1],
      [2, [5]],
    ],
  },
  yes: true,
};

function ours(text: string): string {
  const read = valueReader(state);
  try {
    const value = parseExpression(text)((name) =>
      Object.hasOwn(state, name) ? read(state[name]) : undefined,
    );
    return pythonLiteral(toPythonValue(value));
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return error.type;
  }
}

/** What Python says, by `eval` in a namespace with those values. */
function pythons(texts: readonly string[]): string[] {
  const program = [
    "import json, sys, warnings",
    "warnings.simplefilter('ignore')",
    `state = {${Object.entries(state)
      .map(([name, value]) => `${JSON.stringify(name)}: ${pythonLiteral(value)}`)
      .join(", ")}}`,
    "for line in sys.stdin:",
    "    try: print(json.dumps(repr(eval(json.loads(line), dict(state)))))",
    "    except Exception as error: print(json.dumps(type(error).__name__))",
  ].join("\n");
  const input = texts.map((text) => `${JSON.stringify(text)}\n`).join("");
  const run = spawnSync("python3", ["-I", "-c", program], { input, encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie("expression");
  const leaf = fc.constantFrom(
    ..."a b x big text xs ys t s d yes unknown 0 1 2.5 -3 'k' 'b' None True [] () {}".split(" "),
    ...["[1, 2]", "(1, 2, 3)", "{1, 2}", "{'k': 1}"],
  );
  const two = (sign: fc.Arbitrary<string>) =>
    fc.tuple(part, sign, part).map(([left, each, right]) => `(${left} ${each} ${right})`);
  return {
    expression: fc.oneof(
      { maxDepth: 4 },
      leaf,
      two(fc.constantFrom("+", "-", "*", "//", "%", "/", "|", "&", "^")),
      two(fc.constantFrom("<", "<=", "==", "!=", ">", ">=", "in", "not in")),
      two(fc.constantFrom("and", "or")),
      part.map((inner) => `(not ${inner})`),
      part.map((inner) => `-${inner}`),
      fc.tuple(part, part).map(([value, index]) => `(${value})[${index}]`),
      fc
        .tuple(
          part,
          fc.constantFrom("", "1", "-1", "5"),
          fc.constantFrom("", "2", "-1"),
          fc.constantFrom("", "2", "-1"),
        )
        .map(([value, from, to, by]) => `(${value})[${from}:${to}:${by}]`),
      fc
        .tuple(
          fc.constantFrom("len", "sum", "min", "max", "abs", "sorted", "any", "all", "bool", "list", "tuple"),
          part,
        )
        .map(([name, inner]) => `${name}(${inner})`),
      fc.tuple(part, part, part).map(([yes, test, no]) => `(${yes} if ${test} else ${no})`),
      fc.tuple(part, part, part).map(([first, second, third]) => `(${first} < ${second} <= ${third})`),
    ),
  };
});

pythonTest(
  "3,000 random expressions over recorded values give what Python's eval gives, errors their type",
  () => {
    const texts = fc.sample(expression, { numRuns: 3_000, seed: 25 });
    const wanted = pythons(texts);
    const different = texts.flatMap((text, i) => {
      const found = ours(text);
      // what the record cannot tell, and what is too large here, is said to be so
      const refused = ["NotRecorded", "MemoryError"].includes(found);
      return found === wanted[i] || refused ? [] : [{ text, found, wanted: wanted[i] }];
    });
    expect(different.slice(0, 3)).toEqual([]);
    expect(texts.filter((text) => ours(text) === "NotRecorded").length).toBeLessThan(300);
    expect(wanted.filter((value) => !/Error$/.test(value)).length).toBeGreaterThan(500);
  },
);

test.each([
  ["a +", "SyntaxError"],
  ["a = 3", "SyntaxError"],
  ["f(a)", "NameError"],
  ["xs.append(1)", "SyntaxError"],
  ["(", "SyntaxError"],
  ["'open", "SyntaxError"],
  ["2 ** 10 ** 9", "OverflowError"],
  ["(".repeat(500), "SyntaxError"],
  ["a".repeat(3_000), "SyntaxError"],
  ["__import__('os')", "NameError"],
])("%s is refused as a %s", (text, type) => {
  expect(ours(text)).toBe(type);
});

test.each([
  ["'\\x41\\u00e9\\101'", "'A\u00e9A'"],
  ["'a' + r'\\n'", "'a\\\\n'"],
  ["0o17 + 0b11 + 1_000", "1018"],
  ["b'ab'[0]", "97"],
])("%s is read with the literals of Python and gives %s", (text, value) => {
  expect(ours(text)).toBe(value);
});
