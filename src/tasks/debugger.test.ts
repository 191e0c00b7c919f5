import { describe, expect, test } from "vitest";
import { hasPython } from "../python/trace/python.test-helper.ts";
import { commandNames, linesJumped } from "./debugger/moves.ts";
import { everyRun } from "./debugger/questions.ts";
import { compareWithRecordings } from "./debugger.test-helper.ts";
import { debuggerPosteriors, readDebugged } from "./debugger.ts";
import { drawExamples } from "./examples.test-helper.ts";
import { prepareTask, tasks } from "./index.ts";

const drawn = (params: object, count: number) => drawExamples(tasks.debugger, params, count, 5);

describe.skipIf(!hasPython)("against CPython's recordings (skipped without python3)", () => {
  test("every answer is one to which the debugger of recordings comes, and each is as likely as a count of all runs says", () => {
    const { counts, problems } = compareWithRecordings(drawn({ starts: 2, questions: 16 }, 8), {
      variables: 2,
      starts: 2,
    });
    expect(problems).toEqual([]);
    for (const name of commandNames) expect(counts.get(name), name).toBeGreaterThan(3);
  });
});

test("forwards, and backwards over lines that can be undone, the answer is certain", () => {
  const certain = (params: object) =>
    drawn({ starts: 4, ...params }, 30).flatMap((example) =>
      debuggerPosteriors(example, { variables: 2, starts: 4 }).map((shares) => Math.max(...shares.values())),
    );
  const forwards = commandNames.filter((name) => !name.startsWith("back"));
  expect(new Set(certain({ commands: forwards }))).toEqual(new Set([1]));
  expect(new Set(certain({ updates: "invertible", branches: 0 }))).toEqual(new Set([1]));
  const lossy = certain({ updates: "lossy", commands: ["back continue"] });
  expect(lossy.filter((share) => share < 1).length).toBeGreaterThan(20);
});

test("below `a %= 2` one of four values that a could have been is right: 1 / |preimage|", () => {
  const listing = ["def f(a, b):", "    a %= 2", "    return a"];
  const rows = listing.map((line, i) => `line ${i + 1}: ${line}\n`).join("");
  const text = `${rows}line 3: {a: 0, b: 5}\nback\nline 2: {a: 6}\n`;
  const start = text.lastIndexOf("line 2");
  const reveals = [{ start, end: text.length - 1, variable: "answer", value: "line 2: {a: 6}", commands: 0 }];
  const [shares] = debuggerPosteriors({ text, reveals }, { variables: 2, starts: 8 });
  expect(Object.fromEntries(shares)).toEqual({
    ...{ "line 2: {}": 1 / 4, "line 2: {a: 2}": 1 / 4, "line 2: {a: 4}": 1 / 4, "line 2: {a: 6}": 1 / 4 },
  });
});

test("a guess from what is known is right as often as the reference says, and never more often by another rule", () => {
  const params = { updates: "lossy", commands: ["back", "back over", "back continue"], starts: 3 };
  const prepared = prepareTask(tasks.debugger, params);
  let [right, said, last, all] = [0, 0, 0, 0];
  for (const example of drawn(params, 250)) {
    const known = debuggerPosteriors(example, { variables: 2, starts: 3 });
    for (const [q, { value }] of example.reveals.entries()) {
      const ranked = [...known[q]].toSorted(([, one], [, other]) => other - one);
      right += Number(ranked[0][0] === value);
      last += Number(ranked.at(-1)![0] === value);
      said += prepared.references!.exactBayes(example)[q];
      all++;
    }
  }
  expect(Math.abs(right - said)).toBeLessThan(4 * Math.sqrt(all * 0.25));
  expect(said / all).toBeLessThan(0.9);
  expect(right - last).toBeGreaterThan(-4 * Math.sqrt(all * 0.25));
});

test("values stay among the numbers whatever the arguments, and lines jumped are counted alike in both ways", () => {
  let outside = 0;
  for (const example of drawn({ variables: 3, numbers: 8, starts: 3, branches: 3 }, 40)) {
    const { lines } = readDebugged(example);
    for (const { moments } of everyRun(lines, { variables: 3, starts: 3 })) {
      for (const { values } of moments)
        for (const value of Object.values(values))
          outside += Number(!(Number(value) >= 0 && Number(value) < 8));
      const began = moments.flatMap(({ event }, at) => (event === "line" ? [at] : []));
      const [first, last] = [began[0], began.at(-1)!];
      expect(linesJumped(moments, first, last)).toBe(began.length - 1);
      expect(linesJumped(moments, last, first)).toBe(began.length - 1);
    }
  }
  expect(outside).toBe(0);
});
