import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callStatelab } from "../../../test/kit/cli.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { Score } from "../../schemas/samples.ts";

const root = tmpFolder("score");
const file = (name: string, text: string) => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const row = (id: string, code: string, input: string, output: string) =>
  `${JSON.stringify({ id, code, input, output })}\n`;
const data = file(
  "cruxeval.jsonl",
  row("sample_0", "def f(x):\n    return [x, x]", "1", "[1, 1]") +
    row("sample_1", "def f(n):\n    while n != 3:\n        pass\n    return n", "3", "3"),
);
const generations = (answers: object) => file("generations.json", JSON.stringify(answers));

const score = (answers: string, predict: string, more = "") =>
  callStatelab([`llm score cruxeval ${answers} --predict ${predict} --data ${data} ${more}`]);

const escaped = "/tmp/statelab-score-escaped";

test("answers run in the sandbox: one that never ends, or leaves, has failed and no other with it, and a file that one writes stays inside", async () => {
  const answers = generations({
    sample_0: [
      "f(1)",
      "f(2)",
      `open('${escaped}', 'w').close() or f(1)`,
      "f(__import__('os')._exit(0))",
      "(f(1)",
    ],
    sample_1: ["f(3)", "f(4)", "f(3.0)", "f(3) if exit() else 3", "3"],
  });
  const upstream = await score(answers, "input", "--scoring upstream --json");
  expect([upstream.code, upstream.stderr]).toEqual([0, expect.stringContaining("not the published file")]);
  const { verdicts, python, passAt1, answers: counts } = Score.parse(JSON.parse(upstream.stdout));
  expect(verdicts).toEqual({
    sample_0: [true, false, true, false, false],
    sample_1: [true, false, true, false],
  });
  expect(existsSync(escaped)).toBe(false);
  expect(passAt1).toBeCloseTo(100 * ((2 / 5 + 2 / 4) / 2), 10);
  expect([counts.unreadable, python]).toEqual([1, expect.stringMatching(/^cpython 3\./)]);

  const strict = await score(answers, "input", "--json");
  expect(Score.parse(JSON.parse(strict.stdout)).verdicts).toEqual({
    sample_0: [true, false, false, false, false],
    sample_1: [true, false, false, false, false],
  });
}, 60_000);

test("output prediction, strict, needs no interpreter and prints a table", async () => {
  const answers = generations({ sample_0: ["[1, 1]", "[True, 1]"], sample_1: ["3", "3"] });
  const { code, stdout } = await score(answers, "output");
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^output, strict[\s\S]+pass@1 +75\.00[\s\S]+4 answers: 3 correct, 1 wrong/),
  ]);
});

test("an answer that no parser was made for is unreadable, and those beside it are scored", async () => {
  const brackets = "[".repeat(20_000) + "]".repeat(20_000);
  const hostile = [
    `float('${"a".repeat(130_000)}')`,
    "'a' ".repeat(49_000),
    brackets,
    "(".repeat(190_000),
    "\ud800",
  ];
  const answers = generations({ sample_0: [...hostile, "[1, 1]"], sample_1: [...hostile, "3"] });
  const start = performance.now();
  const { code, stdout } = await score(answers, "output", "--json");
  expect([code, performance.now() - start < 5000]).toEqual([0, true]); // took a minute before it died
  // 49,000 strings that follow each other are one string
  expect(Score.parse(JSON.parse(stdout)).answers).toEqual({ given: 12, correct: 2, wrong: 2, unreadable: 8 });
});

test("a program without an answer is named, with exit code 3", async () => {
  const { code, stderr } = await score(generations({ sample_0: ["1"] }), "output");
  expect([code, stderr]).toEqual([3, expect.stringMatching(/none for sample_1/)]);
});

test("the samples of an asking are scored as they are, of the programs that it asked, and that is said", async () => {
  const sample = (index: number, extracted: string | null, predict: string) => ({
    ...{ version: 1, sample: `function/${predict}/sample_0/000${index}`, arm: "function", predict, index },
    ...{ id: "sample_0", steps: null, prompt: "", replies: [extracted ?? ""], finish: "stop", words: "" },
    ...{ promptTokens: null, replyTokens: null, extracted, expected: "[1, 1]", verdict: "wrong" },
  });
  const lines = [sample(0, "[1, 1]", "output"), sample(1, null, "output"), sample(0, "f(2)", "input")];
  const asked = file("samples.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { code, stdout, stderr } = await score(asked, "output", "--json");
  expect([code, Score.parse(JSON.parse(stdout)).answers]).toEqual([
    0,
    { given: 2, correct: 1, wrong: 0, unreadable: 1 },
  ]);
  expect(stderr).toContain("1 of 2 programs are in");
});
