import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import { benches, benchNames } from "../../eval/benchmarks/index.ts";
import { SampleRecord } from "../../schemas/eval.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import type { BenchmarkOptions, JudgeResponse, QuestionRow } from "../../schemas/questions.ts";
import { readLog } from "../../storage/index.ts";
import { evaluateBenchmark } from "./eval.ts";
import { exportEval, exportQuestions } from "./export.ts";
import { judgeLines } from "./judge.ts";
import { readReplies } from "./saved-replies.ts";
import { scoreReplies } from "./score.ts";

const root = tmpFolder("judge");
const { signal } = new AbortController();
const host = "auto";
const functions = join(root, "functions.jsonl");
const row = (i: number) => ({
  id: `f_${i}`,
  code: `def f(x):\n    return [x, x + ${i}]`,
  input: String(i),
  output: `[${i}, ${2 * i}]`,
});
writeFileSync(functions, Array.from({ length: 8 }, (_, i) => `${JSON.stringify(row(i))}\n`).join(""));

/** Replies in the forms in which models answer, some wrong, some without an answer. */
const forms: readonly ((answer: string) => string)[] = [
  (answer) => `[ANSWER]\n${answer}\n[/ANSWER]`,
  (answer) => answer,
  (answer) => `The answer is **${answer}**.`,
  (answer) => `[ANSWER]\nassert x == ${answer}\n[/ANSWER]`,
  (answer) => `\`\`\`python\n${answer}\n\`\`\``,
  (answer) => `<think>Is it 999?</think>It is ${answer}.`,
  () => "[ANSWER] 999",
  () => "I do not know.",
];

async function* linesOf(values: readonly unknown[]) {
  for (const value of values) yield typeof value === "string" ? value : JSON.stringify(value);
}
const judged = async (values: readonly unknown[]) => {
  const verdicts: JudgeResponse[] = [];
  for await (const each of judgeLines(linesOf(values), { host, signal })) verdicts.push(each);
  return verdicts;
};
const rowsIn = (folder: string) => readLog(join(folder, "test.jsonl")) as QuestionRow[];

const options = (bench: string): BenchmarkOptions => {
  if (bench === "functions")
    return { bench, data: functions, arms: ["function", "anonymous"], predict: ["output", "input"] };
  if (bench === "s5") return { bench, settings: ["programs=8", "commands=[3]"], arms: ["free"] };
  return { bench, settings: ["programs=16"], seed: 3 };
};
const made = benchNames.filter((name) => {
  const bench = Object.hasOwn(benches, name) ? benches[name as keyof typeof benches] : undefined;
  return name === "functions" || bench?.data === undefined;
});

test.each(made)(
  "%s: judge, llm score of both logs and llm eval give the same verdicts",
  async (bench) => {
    const folder = join(root, bench);
    const benchmark = options(bench);
    const { questions } = await exportQuestions(benchmark, folder);
    const rows = rowsIn(folder);
    expect(rows).toHaveLength(questions);
    const replies = new Map(rows.map(({ prompt, target }, i) => [prompt, forms[i % forms.length](target)]));
    const replyTo = (prompt: string) => replies.get(prompt)!; // every prompt is a row's

    const asked = join(folder, "asked");
    await evaluateBenchmark({
      config: EvalConfig.parse({ ...benchmark, baseUrl: "http://localhost", models: ["m"], folder: asked }),
      endpoint: async ({ prompt }) => ({
        ...{ kind: "reply", text: replyTo(prompt), finish: "stop", promptTokens: null, replyTokens: null },
      }),
      ...{ signal, progress: silent },
    });
    const wanted = new Map(
      readLog(join(asked, "samples.jsonl"), SampleRecord).map((each) => [
        each.sample.slice(0, -"/0000".length),
        [each.verdict, each.extracted, each.words],
      ]),
    );
    const asMap = (verdicts: readonly JudgeResponse[]) =>
      new Map(verdicts.map(({ id, verdict, extracted, words }) => [id, [verdict, extracted, words]]));
    expect(asMap(await judged(rows.map((each) => ({ ...each, reply: replyTo(each.prompt) }))))).toEqual(
      wanted,
    );
    expect(new Set([...wanted.values()].map(([verdict]) => verdict)).size).toBeGreaterThan(1);

    const scored: JudgeResponse[][] = [[], []];
    for (const [i, as] of (["inspect", "lm-eval"] as const).entries())
      for (const path of await exportEval(asked, { as, now: 0 })) {
        const log = readReplies(readFileSync(path), path);
        if (log === undefined) continue; // results_DATE.json
        scored[i].push(...(await scoreReplies(log, path, benchmark, { host, signal })).verdicts);
      }
    // Logs have the harness's own ids, and two questions may have one prompt: the same verdicts, each as often.
    const each = (values: Iterable<unknown>) => [...values].map((value) => JSON.stringify(value)).sort();
    for (const verdicts of scored)
      expect(each(verdicts.map((found) => [found.verdict, found.extracted, found.words]))).toEqual(
        each(wanted.values()),
      );
  },
  120_000,
);

test("a prompt or an id finds the question; a truncated reply has no answer", async () => {
  const benchmark = { bench: "parity", settings: ["programs=2"] };
  await exportQuestions(benchmark, join(root, "two"));
  const [, { id, prompt, target }] = rowsIn(join(root, "two"));
  const verdicts = await judged([
    { benchmark, prompt, reply: target },
    { benchmark, id, reply: target },
    { benchmark, id, reply: target, finish: "length" },
  ]);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["correct", "correct", "out-of-tokens"]);
});

test.each([
  ["nothing", "", /^standard input: expected one JSON object per line, got no line$/],
  ["no JSON", "{", /^standard input, line 1: expected JSON/],
  [
    "an unknown benchmark",
    { benchmark: { bench: "paritty" }, id: "x", reply: "" },
    /line 1: .*Did you mean parity/,
  ],
  [
    "an unknown id",
    { benchmark: { bench: "parity" }, id: "parity_0", reply: "" },
    /line 1: expected the id of a question, such as function\/output\/parity_0, got "parity_0"/,
  ],
  [
    "the prompt of other settings",
    { benchmark: { bench: "parity" }, id: "function/output/parity_0", prompt: "x", reply: "" },
    /line 1: expected a prompt of parity, got "x"\. Give the options/,
  ],
  ["no reply", { benchmark: { bench: "parity" }, id: "x" }, /line 1: expected reply/],
])("a line with %s is refused in one sentence", async (_, line, message) => {
  await expect(judged([line])).rejects.toMatchObject({
    message: expect.stringMatching(message),
    kind: "corrupt",
  });
});
