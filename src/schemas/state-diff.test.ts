import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { hasPython, runPython } from "../python/trace/python.test-helper.ts";
import { ChangedStates } from "./state-diff.ts";
import { parseTrace, recordForFile } from "./trace.ts";

test("each state is the one before with what changed, in whatever order they are asked for", () => {
  const lines = [
    { names: ["n", "xs"], set: { n: "2", xs: "[0, 1]" } },
    { set: { xs: [5, 0, ", 2"] as const } },
    { set: {} },
    { names: ["xs"], set: { xs: [1, 4, "7"] as const } },
    {},
  ];
  const whole = [
    { n: 2, xs: [0, 1] },
    { n: 2, xs: [0, 1, 2] },
    { n: 2, xs: [0, 1, 2] },
    { xs: [7, 2] },
    null,
  ];
  const states = new ChangedStates(lines);
  const order = [0, 1, 2, 3, 4, 3, 1, 0, 2, 4, 0];
  expect(order.map((i) => states.after(i))).toEqual(order.map((i) => whole[i]));
});

test.each([
  [{ set: { n: [0, 1, "2"] as const } }, "a text to change"],
  [{ names: ["n"], set: {} }, "a text"],
  [{ names: ["n"], set: { n: "0.5" } }, "a value of Python"],
  [{ names: ["n"], set: { n: "[1" } }, "a value of Python"],
])("differences that fit nothing are refused: %j", (line, words) => {
  expect(() => new ChangedStates([line]).after(0)).toThrow(LabError);
  expect(() => new ChangedStates([line]).after(0)).toThrow(words);
});

test.skipIf(!hasPython)(
  "of a list that grows for 1,200 lines every state is right, in a file, too, where the differences stand (skipped without python3)",
  () => {
    const source =
      "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(1000 + i)\n    return len(xs)\n";
    const [answer] = runPython([{ operation: "trace", source, call: "f(600)", options: {} }]);
    const record = parseTrace(answer, "answer");
    const written = JSON.stringify(recordForFile(record));
    expect(record.proven).toBe(true);
    expect(written.length).toBeLessThan(300_000);
    for (const { lines } of [record, parseTrace(JSON.parse(written), "file")]) {
      let count = 0;
      for (const { code, state } of lines) {
        if (code.startsWith("xs.append")) count++;
        if (count > 0)
          expect(state).toEqual({
            n: 600,
            xs: Array.from({ length: count }, (_, i) => 1000 + i),
            i: code.startsWith("i =") ? count : count - 1,
          });
      }
      expect(count).toBe(600);
    }
  },
);
