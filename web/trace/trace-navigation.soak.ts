import { expect, test } from "vitest";
import { goldenPrograms } from "../../src/python/trace/golden-programs.test-helper.ts";
import { hasPython, runPython } from "../../src/python/trace/python.test-helper.ts";
import { stateLiterals } from "../../src/python/values/repr.ts";
import { parseLineTrace, parseTrace, type TraceRecord } from "../../src/schemas/trace.ts";
import { programs } from "./programs.ts";
import { following, isRight, nameIn, origin, out, over, overBack, readBy } from "./trace-navigation.ts";

const source =
  "def half(x):\n    y = x // 2\n    return y\n\ndef f(n):\n    a = half(n)\n    b = [a]\n    c = b\n    c.append(n)\n    return b\n";

function traced(text: string, call: string): TraceRecord {
  const [answer] = runPython([{ operation: "trace", source: text, call, options: {} }]);
  return parseTrace(answer, "answer");
}

test.skipIf(!hasPython)(
  "over, out and back pass by a call; where values come from is followed into it (skipped without python3)",
  () => {
    const followed = following(traced(source, "f(9)"));
    const codes = followed.record.lines.map(({ code }) => code);
    const at = (code: string) => codes.indexOf(code);
    expect(codes.slice(0, 5)).toEqual([
      "n = 9",
      "half1_x = n",
      "half1_y = half1_x // 2",
      "half1_return = half1_y",
      "a = half1_return",
    ]);
    expect(followed.calls.slice(0, 5)).toEqual([[], ["half1"], ["half1"], ["half1"], []]);
    expect(over(followed, 0)).toBe(4);
    expect(over(followed, 1)).toBe(2);
    expect(out(followed, 2)).toBe(4);
    expect(overBack(followed, 4)).toBe(0);
    expect(over(followed, codes.length - 1)).toBe(codes.length - 1);
    expect(origin(followed, "a", codes.length - 1)).toEqual({ name: "a", line: 4 });
    expect(readBy(followed, 4)).toEqual([{ name: "half1_return", line: 3 }]);
    expect(readBy(followed, 3)).toEqual([{ name: "half1_y", line: 2 }]);
    expect(readBy(followed, 1)).toEqual([{ name: "n", line: 0 }]);
    expect(origin(followed, "half1_y", 5)).toBeUndefined(); // it is gone
    const append = at("c.append(n)");
    expect(origin(followed, "b", append)).toEqual({ name: "b", line: append }); // through its other name
    expect(nameIn("half1_y", "half1")).toBe("y");
  },
);

/** Every line that CPython itself passed, with how many calls were under way. */
function passed(text: string, call: string): Set<string> {
  const [answer] = runPython([{ operation: "lines", source: text, call, options: {} }]);
  const { events } = parseLineTrace(answer, "answer");
  const base = Math.min(
    ...events
      .filter((each) => each.event === "line" && each.function !== "<module>")
      .map(({ depth }) => depth),
  );
  return new Set(
    events.flatMap(({ event, line, depth }) => (event === "line" ? [`${line} at ${depth - base}`] : [])),
  );
}

test.skipIf(!hasPython).each([
  [programs[0].text.replace("fib(4, {})", ""), "fib(5, {})"],
  [source, "f(9)"],
  [
    "def g(n):\n    if n == 0:\n        return 0\n    m = h(n - 1)\n    return m + 1\n\ndef h(n):\n    k = g(n)\n    return k\n",
    "g(3)",
  ],
  [
    "class Box:\n    def __init__(self, n):\n        self.n = n\n    def add(self, k):\n        self.n += k\n        return self\n\ndef f(n):\n    box = Box(n)\n    box.add(2)\n    return box.n\n",
    "f(1)",
  ],
] as const)(
  "the depth of each line is that of CPython's own frames (skipped without python3): %#",
  (text, call) => {
    const record = traced(text, call);
    expect(record.proven).toBe(true);
    const { calls } = following(record);
    const known = passed(text, call);
    const steps = record.lines.flatMap(({ line, helper, role }, i) =>
      role === "step" && !helper && line !== null ? [`${line} at ${calls[i].length}`] : [],
    );
    expect(steps.length).toBeGreaterThan(2);
    for (const step of steps) expect(known, step).toContain(step);
  },
);

test.skipIf(!hasPython)(
  "the origin of a variable is the line since which it has its value: the one before had another (skipped without python3)",
  () => {
    const some = goldenPrograms.filter(({ name }) => ["alias-argument", "class-dataclass"].includes(name));
    expect(some).toHaveLength(2);
    for (const { name, source: text, call } of some) {
      const followed = following(traced(text, call));
      const literals = followed.record.lines.map(({ state }) => stateLiterals(state ?? {}));
      for (const [i, now] of literals.entries())
        for (const variable of Object.keys(now)) {
          const found = origin(followed, variable, i);
          expect(found, `${name}, ${variable}, line ${i}`).toBeDefined();
          const since = literals.slice(found!.line, i + 1).map((each) => each[variable]);
          expect(new Set(since)).toEqual(new Set([now[variable]]));
          expect(literals[found!.line - 1]?.[variable]).not.toBe(now[variable]);
        }
    }
  },
);

test("a name of the program that looks like a call is no call", () => {
  const record = {
    source: "def f(f1_x):\n    return f1_x\n",
    lines: [{ code: "f1_x = 1", line: 1, helper: false, role: "arguments", state: { f1_x: 1 } }],
  } as unknown as TraceRecord;
  expect(following(record).calls).toEqual([[]]);
});

test.each([
  ["[1,2]", "[1, 2]", true],
  ['"ab"', "'ab'", true],
  [" {2: 'b', 1: 'a'} ", "{1: 'a', 2: 'b'}", true],
  ["1.0", "1", false],
  ["True", "1", false],
  ["[1, 2", "[1, 2]", false],
  ["<Point x=1>", "<Point  x=1>", true],
])("a guess of %s where it is %s: %s", (guess, literal, right) => {
  expect(isRight(guess, literal)).toBe(right);
});
