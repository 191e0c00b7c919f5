import * as fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { parseWith } from "../../core/settings.ts";
import { drawProgram, programText } from "../../tasks/arithmetic-program.ts";
import { exampleFrom, prepareTask, tasks } from "../../tasks/index.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import type { BenchInput } from "../question.ts";
import { benchNamed, benchNames } from "./index.ts";

const question = (name: string, params: object, index = 0, style: BenchInput["style"] = "direct") => {
  const bench = benchNamed(name);
  return bench.prepare(parseWith(bench.params, params, name), benchInput({ style })).question(index);
};
const lastProgram = (prompt: string) =>
  /\[PYTHON\]\n([^[]*(?:\[(?!\/PYTHON)[^[]*)*)\[\/PYTHON\]\n\[(?:ANSWER|THOUGHT)\]\n$/.exec(prompt)![1];

test("the prompt is the published one: an instruction, two worked programs, and the one that is asked about", () => {
  const prompt = question("parity", { programs: 1, length: 2 }).next([])!;
  const program = String.raw`\[PYTHON\]\np = [01]\np \^= [01]\np \^= [01]\nassert p == \?\?\n\[/PYTHON\]\n\[ANSWER\]\n`;
  const instruction =
    "Below are Python programs that end with an assertion in which ?? stands for a value. Say which value makes it hold: that value alone, between [ANSWER] and [/ANSWER].\n\n";
  expect(prompt.startsWith(instruction)).toBe(true);
  expect(prompt.slice(instruction.length)).toMatch(
    new RegExp(`^(?:${program}[01]\\n\\[/ANSWER\\]\\n\\n){2}${program}$`),
  );
  expect(question("repl", { programs: 1 }).next([])).toMatch(
    /^Below are Python sessions whose last line of output is not finished: \?\? stands for the value that is printed there\. Say that value alone, between \[ANSWER\] and \[\/ANSWER\]\.\n\n\[PYTHON\]\n>>> a = /,
  );
});

test.skipIf(!hasPython)(
  "CPython holds every program to the value that is expected (skipped without python3)",
  () => {
    const sizes = Array.from({ length: 100 }, (_, i) => i);
    const asked = sizes.flatMap((i) => [
      question("parity", { length: 1 + (i % 40) }, i),
      question("permutation", { size: 2 + (i % 63), swaps: 1 + (i % 16) }, i),
      question("arithmetic", { length: 1 + (i % 64), digits: 1 + (i % 9) }, i),
    ]);
    const right = asked.map(({ next, expected }) => ({
      code: lastProgram(next([])!).replace("??", expected),
    }));
    expect(executeAll(right)).toEqual(asked.map(() => ({ kind: "passed" })));
    const changed = right.map(({ code }) => ({ code: code.replace(" == ", " != ") }));
    expect(executeAll(changed).filter(({ kind }) => kind === "passed")).toEqual([]);
  },
);

test("an arithmetic program has its length, and every line but the numbers serves what is asked", () => {
  for (let seed = 0; seed < 200; seed++) {
    const { text } = programText(drawProgram(rngFrom(seed), 20, 100));
    const lines = text.trimEnd().split("\n").slice(0, -1);
    expect(lines.filter((line) => / [+-] /.test(line))).toHaveLength(20);
    let needed = new Set(["a"]);
    for (const line of lines.toReversed()) {
      const [target, expression] = line.split(" = ");
      expect(needed.has(target), lines.join("; ")).toBe(true);
      needed = new Set([
        ...[...needed].filter((name) => name !== target),
        ...(expression.match(/[a-z]+/g) ?? []),
      ]);
    }
    expect(needed.size).toBe(0);
  }
});

test("where the task can write it word by word, an arithmetic program has the same text and the same answer", () => {
  const prepared = prepareTask(tasks["arithmetic-program"], { length: 6, digits: 3 });
  for (let seed = 0; seed < 100; seed++) {
    const rng = rngFrom(seed);
    rng.below(1); // the task draws a length
    const { text, reveals } = programText(drawProgram(rng, 6, 1000));
    const example = exampleFrom(prepared, rngFrom(seed));
    expect([text, reveals]).toEqual([example.text, example.reveals]);
  }
});

test.each(["parity", "permutation", "arithmetic", "repl", "s5", "recall"])(
  "%s: a question depends on the seed and its number alone",
  (name) => {
    const prompts = (seed: number, programs: number) => {
      const bench = benchNamed(name);
      const set = bench.prepare(parseWith(bench.params, { programs }, name), benchInput({ seed }));
      return [0, 3].map((index) => set.question(index).next([]));
    };
    expect(prompts(1, 5)).toEqual(prompts(1, 50));
    expect(prompts(1, 5)).not.toEqual(prompts(2, 5));
    expect(new Set(prompts(1, 5)).size).toBe(2);
  },
);

test("a REPL question ends with the reveal that is asked for, and shows those before it", () => {
  const asked = question("repl", { commands: 8, spacing: 4 });
  const program = lastProgram(asked.next([])!);
  expect(program).toMatch(/>>> print\('[abc]', [abc]\)\n[abc] \d\n(?:>>> .*\n)+[abc] \?\?\n$/);
  expect([asked.steps, program.match(/>>> print/g)?.length]).toEqual([8, 2]);
});

test("whatever a model replies, a question reads it or says that it cannot", async () => {
  const questions = benchNames
    .filter((name) => benchNamed(name).data === undefined)
    .map((name) => question(name, { programs: 1 }));
  const pieces = fc.constantFrom(
    ...'[ANSWER]|[/ANSWER]|```|assert |==|(|\'|"""|\\|# a=1|\n|3|a, b'.split("|"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), async (parts) => {
      for (const asked of questions) {
        const { grade } = await asked.judge([parts.join("")], nothing);
        expect(["correct", "wrong", "unreadable"]).toContain(grade.kind);
      }
    }),
    { seed: 5, numRuns: 300 },
  );
});
