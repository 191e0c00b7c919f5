import { expect, test } from "vitest";
import { runByBlocks } from "../../python/debugger/index.ts";
import { hasPython, runPython } from "../../python/trace/python.test-helper.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { splitTests } from "./faults.ts";

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
    const parted = places.map((place, i) => ({ line: place.line, parts: splitTests(right, faulty[i]) }));
    const shown = parted.filter(({ parts }) => parts !== null);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter(({ line, parts }) => parts?.line !== line)).toEqual([]);
    expect(splitTests(right, right)).toBeNull();
  },
);

test.skipIf(!hasPython)(
  "a faulty run by blocks: its sequence is the lines that ran, and the first wrong one holds the fault (skipped without python3)",
  () => {
    const { blocks } = runPython([{ operation: "faults", source }])[0] as { blocks: [number, number][] };
    expect(blocks).toEqual([
      [2, 3],
      [4, 4],
      [5, 5],
      [6, 6],
      [7, 7],
      [8, 8],
    ]);
    const faulty = source.replace("xs[i] - i", "i - xs[i]");
    const call = "f([5, 1, 7], 3)";
    const [right, wrong] = runPython(
      [source, faulty].map((text) => ({ operation: "history", source: text, call })),
    ).map((answer) => parseHistory(answer, call));
    const parts = splitTests(right, wrong);
    const run = runByBlocks(wrong, blocks, parts?.moment);
    // line 6 runs at i = 0 and i = 2
    expect(run.sequence.map((block) => blocks[block][0]).join(" ")).toBe("2 4 5 6 7 4 5 7 4 5 6 7 4 8");
    expect(run.first).toBe(3);
    expect(run.shown.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 9, 10, 11, 12, 13]);
    expect(run.shown[3]).toEqual({
      at: 3,
      before: { xs: "[5, 1, 7]", n: "3", total: "0", done: "False", i: "0" },
      after: { xs: "[5, 1, 7]", n: "3", total: "-5", done: "False", i: "0" },
    });
    expect(run.got).toBe("-5");
  },
);

test.skipIf(!hasPython)(
  "several requests are answered as each would be alone, and a program without an end is ended by its lines (skipped without python3)",
  () => {
    const tests = ["f([5], 1) == 2", "f([5, 5, 5], 3) > 0"];
    const requests = [
      { operation: "outcomes", source: "import math\nmath.pi = 4\nx = math.pi", tests: ["x == 4"] },
      { operation: "outcomes", source: "import math\nx = math.pi", tests: ["x == 4"] },
      {
        operation: "outcomes",
        source: "def f(n):\n    while n: pass",
        tests: ["True", "f(1)", "True"],
        maximumLines: 1000,
      },
      { operation: "faults", source },
      { operation: "trace", source, call: "f([5], 1)", options: {} },
      { operation: "outcomes", source, tests, maximumLines: 1000 },
    ];
    const [{ answers }, ...alone] = runPython([{ operation: "several", requests }, ...requests]) as [
      { answers: unknown[] },
      ...unknown[],
    ];
    expect(answers).toEqual(alone);
    expect(answers.slice(0, 3)).toEqual([
      { outcomes: ["passed"] },
      { outcomes: ["failed"] },
      { outcomes: ["passed", "endless", "endless"] },
    ]);
  },
);
