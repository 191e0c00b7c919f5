import { expect, test } from "vitest";
import { parseHistory } from "../../records/history.ts";
import { hasPython, runPython } from "../../trace/python.test-helper.ts";
import { partingOf } from "./faults.ts";

interface Place {
  readonly fault: string;
  readonly line: number;
  readonly block: readonly [number, number];
  readonly before: string;
  readonly after: string;
  readonly source: string;
}
const placesOf = (source: string) =>
  (runPython([{ operation: "faults", source }])[0] as { faults: Place[] }).faults;

const source = [
  "def f(xs, n):",
  "    total = 0",
  "    done = False",
  "    for i in range(n):",
  "        if xs[i] > 2 and not done:",
  "            total += xs[i] - i",
  "        xs.append(i)",
  "    return total // 2",
  "",
].join("\n");

test.skipIf(!hasPython)(
  "every kind of fault is found where it can be, with its block (skipped without python3)",
  () => {
    const found = placesOf(source).map(
      ({ fault, line, block, before, after }) => `${line} ${block.join("-")} ${fault}: ${before} -> ${after}`,
    );
    for (const wanted of [
      "2 2-3 wrong initial value: 0 -> 1",
      "3 2-3 wrong initial value: False -> True",
      "4 4-4 off by one: n -> n + 1",
      "4 4-4 off by one: n -> n - 1",
      "5 5-5 wrong index: i -> i + 1",
      "5 5-5 wrong comparison: xs[i] > 2 -> xs[i] >= 2",
      "5 5-5 wrong connective: xs[i] > 2 and not done -> (xs[i] > 2) or (not done)",
      "5 5-5 negated condition: xs[i] > 2 and not done -> not (xs[i] > 2 and not done)",
      "6 6-6 missing update: total += xs[i] - i -> pass",
      "6 6-6 wrong operator: total += xs[i] - i -> total -= xs[i] - i",
      "6 6-6 swapped operands: xs[i] - i -> i - xs[i]",
      "7 7-7 missing call: xs.append(i) -> pass",
      "8 8-8 wrong operator: total // 2 -> total % 2",
      "8 8-8 wrong constant: 2 -> 3",
    ])
      expect(found).toContain(wanted);
    expect(found.filter((text) => text.includes("wrong variable")).length).toBeGreaterThan(5);
  },
);

test.skipIf(!hasPython)(
  "a fault exchanges one line, every faulty program can be compiled, and none is there twice (skipped without python3)",
  () => {
    const places = placesOf(source);
    for (const place of places) {
      const [right, wrong] = [source.split("\n"), place.source.split("\n")];
      const different = right.flatMap((line, i) => (line === wrong[i] ? [] : [i + 1]));
      expect([wrong.length, different]).toEqual([right.length, [place.line]]);
    }
    expect(new Set(places.map((place) => place.source)).size).toBe(places.length);
    const outcomes = runPython(
      places.map((place) => ({ operation: "outcomes", source: place.source, tests: ["True"] })),
    ) as { outcomes: string[] }[];
    expect(outcomes.map((each) => each.outcomes)).toEqual(places.map(() => ["passed"]));
  },
);

test.skipIf(!hasPython)(
  "a test passes, fails or raises, and none ends the others (skipped without python3)",
  () => {
    const tests = ["f([5, 1], 2) == 2", "f([5, 1], 2) == 3", "f([], 'a')", "f([5], 1) == 2", "("];
    const [answer] = runPython([{ operation: "outcomes", source, tests }]);
    expect(answer).toEqual({ outcomes: ["passed", "failed", "TypeError", "passed", "SyntaxError"] });
    const [broken] = runPython([{ operation: "outcomes", source: "1 / 0", tests: ["True", "True"] }]);
    expect(broken).toEqual({ outcomes: ["ZeroDivisionError", "ZeroDivisionError"] });
  },
);

test.skipIf(!hasPython)(
  "right and faulty run part at the line of the fault, of every fault that shows (skipped without python3)",
  () => {
    const call = "f([5, 1, 7], 3)";
    const run = (text: string) => ({ operation: "history", source: text, call, options: {} });
    const places = placesOf(source);
    const [right, ...faulty] = runPython([source, ...places.map((place) => place.source)].map(run)).map(
      (answer) => parseHistory(answer, call),
    );
    const parted = places.map((place, i) => ({ line: place.line, parts: partingOf(right, faulty[i]) }));
    const shown = parted.filter(({ parts }) => parts !== null);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter(({ line, parts }) => parts?.line !== line)).toEqual([]);
    expect(partingOf(right, right)).toBeNull();
  },
);
