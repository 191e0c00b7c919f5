import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { AskResults, type SampleRecord } from "../../schemas/eval.ts";
import { sha256 } from "../ask.ts";
import { readGenerations } from "../generations.ts";
import { collectResults, denominatorWords } from "../results.ts";
import { exportedTasks } from "./export.ts";
import { askExportNames, askExports } from "./index.ts";
import { HarnessResults, HarnessSample, InspectLog } from "./schemas.test-helper.ts";

const sample = (
  id: string,
  index: number,
  verdict: SampleRecord["verdict"],
  extracted: string | null,
): SampleRecord => ({
  ...{ version: 1, arm: "function", predict: "output", id, index },
  sample: `function/output/${id}/000${index}`,
  ...{ steps: 2, prompt: `what is ${id}? \u00e9`, replies: [extracted ?? "so ..."] },
  ...(verdict === "out-of-tokens" && { reasoning: ["first, ..."] }),
  ...{ finish: verdict === "out-of-tokens" ? "length" : "stop", promptTokens: 10, replyTokens: 2 },
  ...{ extracted, expected: "17", verdict, words: verdict === "correct" ? "" : "why" },
});
const samples = [
  sample("sample_0", 0, "correct", "17"),
  sample("sample_0", 1, "wrong", "18"),
  sample("sample_1", 0, "unreadable", "f(1)"),
  sample("sample_1", 1, "out-of-tokens", null),
];
const collected = collectResults(2);
for (const each of samples) collected.add(each);
const arms = collected.arms();
const results = AskResults.parse({
  ...{ version: 1, missing: "both", denominator: denominatorWords("both", arms, {}), bench: "cruxeval" },
  ...{ params: { split: "test" }, endpoint: "http://localhost:8000/v1/", protocol: "chat", model: "m" },
  ...{ servedModels: { "m-2": 4 }, finishes: { stop: 3, length: 1 }, adapted: [] },
  tokens: { prompt: 40, reply: 8, counted: 4 },
  ...{ speed: null, cost: null, style: "direct", scoring: "strict", samples: 2 },
  parameters: { temperature: 0.2, maximumTokens: 300, stop: ["[/ANSWER]"], contextTokens: null, seed: null },
  ...{ seed: 0, data: null, traces: null, shots: null, prompt: null },
  ...{ arms, pairs: [], excluded: [], left: {} },
} satisfies AskResults);
const input = { results, samples, now: Date.UTC(2026, 10, 23) };

test("inspect_ai's log has what its models declare and nothing else, a sample a reply, and the mean of its scores", async () => {
  const [{ name, text }] = await askExports.inspect.files(input);
  const log = JSON.parse(text);
  expect(InspectLog.safeParse(log).error?.issues).toBeUndefined();
  expect(name).toMatch(/^2026-11-23T00-00-00\+00-00_cruxeval-function-output_\w{22}\.json$/);
  expect(log.eval.model).toBe(`openai-api/statelab/${results.model}`);
  const { samples: written } = InspectLog.parse(log);
  expect(written?.map(({ id, epoch, scores }) => [id, epoch, scores?.strict.value])).toEqual([
    ["sample_0", 1, "C"],
    ["sample_0", 2, "I"],
    ["sample_1", 1, "I"],
    ["sample_1", 2, "I"],
  ]);
  expect(written?.[3].output?.choices?.[0].stop_reason).toBe("max_tokens");
  const [score] = log.results.scores;
  expect(score.metrics.pass_at_1.value).toBe(arms[0].passAt[0].value);
  expect(score.metrics.accuracy.value).toBe(arms[0].passAt[0].value);
  expect([score.scored_samples, score.unscored_samples]).toEqual([4, 0]);
  const scored = (log: { samples: { scores?: { strict: { value: string } } }[] }) =>
    log.samples.flatMap(({ scores }) => (scores === undefined ? [] : [scores.strict.value]));
  for (const missing of ["both", "wrong", "excluded"] as const) {
    const counts = collectResults(2, missing);
    const lost = samples.slice(1);
    for (const each of lost) counts.add(each);
    const of = { ...input, samples: lost, results: { ...results, missing, arms: counts.arms() } };
    const again = JSON.parse((await askExports.inspect.files(of))[0].text);
    const { metrics, ...numbers } = again.results.scores[0];
    // sample_0 has one answer of two, and is in no figure; sample_1 is in none where what is missing is excluded
    expect([scored(again), numbers.unscored_samples]).toEqual(
      missing === "excluded" ? [[], 3] : [["I", "I"], 1],
    );
    expect(metrics.pass_at_1?.value).toBe(missing === "excluded" ? undefined : 0);
  }
  expect(log.eval.dataset).toMatchObject({ samples: 2, sample_ids: ["sample_0", "sample_1"] });
  const other = await askExports.inspect.files({ ...input, results: { ...results, model: "another" } });
  expect(JSON.parse(other[0].text).eval.eval_id).not.toBe(log.eval.eval_id);
});

test("lm-evaluation-harness's files have its names, fields and hashes, and its scores are ours", async () => {
  const [whole, lines] = await askExports["lm-eval"].files(input);
  expect([whole.name, lines.name]).toEqual([
    "results_2026-11-23T00-00-00.000Z.json",
    "samples_cruxeval_function_output_2026-11-23T00-00-00.000Z.jsonl",
  ]);
  const document = HarnessResults.parse(JSON.parse(whole.text));
  const task = document.results.cruxeval_function_output;
  expect(task["pass@1,none"]).toBe(arms[0].passAt[0].value);
  expect(task["pass@1_stderr,none"]).toBeCloseTo(0.25, 12); // of the shares 0.5 and 0
  expect([task["pass@2,none"], task["pass@2_stderr,none"]]).toEqual([0.5, 0.5]);
  const read = lines.text
    .trim()
    .split("\n")
    .map((line) => HarnessSample.parse(JSON.parse(line)));
  expect(read.map(({ doc_id, resps }) => [doc_id, resps[0].length])).toEqual([
    [0, 2],
    [1, 2],
  ]);
  // the mean over documents is what it reports
  expect(read.reduce((sum, line) => sum + line["pass@1"], 0) / read.length).toBe(task["pass@1,none"]);
  expect(read[0].prompt_hash).toBe(await sha256(samples[0].prompt));
  const hashes = read.map((line) => line.doc_hash + line.prompt_hash + line.target_hash).join("");
  expect(document.task_hashes).toEqual({ cruxeval_function_output: await sha256(hashes) });
  const slashed = { ...input, results: { ...results, model: "org/model:v2" } };
  const [named] = await askExports["lm-eval"].files(slashed);
  expect(HarnessResults.parse(JSON.parse(named.text)).model_name_sanitized).toBe("org__model__v2");
});

test("CRUXEval's generations are read back as they were, from all layouts", async () => {
  const [{ text }] = await askExports.generations.files(input);
  const answers = { sample_0: ["17", "18"], sample_1: ["f(1)", ""] };
  expect(JSON.parse(text)).toEqual(answers);
  const read = (content: string) =>
    readGenerations(content, { ids: ["sample_0", "sample_1"], predict: "output", at: "answers" });
  const lines = samples.map((each) => `${JSON.stringify(each)}\n`).join("");
  const layouts = [
    text,
    JSON.stringify(Object.values(answers)),
    JSON.stringify({
      sample_0: [
        ["17", "whole"],
        ["18", "whole"],
      ],
      sample_1: [
        ["f(1)", "x"],
        ["", "y"],
      ],
    }),
    JSON.stringify(Object.entries(answers).map(([id, own]) => ({ id, answers: own }))),
    Object.entries(answers)
      .map(([id, own]) => JSON.stringify({ question_id: id, output_list: own }))
      .join("\n"),
    Object.entries(answers)
      .flatMap(([id, own]) => own.map((answer) => JSON.stringify({ id, answer })))
      .join("\n"),
    lines,
  ];
  expect(layouts.map((layout) => read(layout).generations)).toEqual(layouts.map(() => answers));
  expect(read(lines).only).toEqual(new Set(["sample_0", "sample_1"]));
  expect(read(JSON.stringify(["17", "18"])).generations).toEqual({ sample_0: ["17"], sample_1: ["18"] });
  for (const wrong of ["17", "[1, 2]", '["17"]', "{}x", JSON.stringify([{ id: "sample_0" }])])
    expect(() => read(wrong), wrong).toThrow(/^answers/);
  expect(() => readGenerations(lines, { ids: ["sample_0"], predict: "input", at: "answers" })).toThrow(
    'expected samples of function, input prediction, got "function, output"',
  );
});

/** What `datasets` reads of a card: which files are a configuration, and the types of its columns. */
const Card = z.object({
  configs: z.array(
    z.object({
      config_name: z.string().regex(/^\w+$/),
      data_files: z.array(z.object({ split: z.string(), path: z.string() })),
    }),
  ),
  dataset_info: z.array(
    z.object({
      config_name: z.string(),
      features: z.array(
        z.union([
          z.strictObject({ name: z.string(), dtype: z.enum(["string", "int64"]) }),
          z.strictObject({ name: z.string(), sequence: z.literal("string") }),
        ]),
      ),
    }),
  ),
});

test("the data set's card names its files, and each row has just the columns and types that it says", async () => {
  const [card, lines] = await askExports.dataset.files(input);
  const [, head] = card.text.split("---\n");
  const { configs, dataset_info } = Card.parse(parse(head));
  expect([card.name, configs[0].data_files[0].path]).toEqual(["README.md", lines.name]);
  const rows = lines.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.length).toBe(samples.length);
  for (const row of rows) {
    expect(Object.keys(row).sort()).toEqual(dataset_info[0].features.map(({ name }) => name).sort());
    for (const feature of dataset_info[0].features) {
      const value = row[feature.name];
      if ("sequence" in feature) expect(value.every((each: unknown) => typeof each === "string")).toBe(true);
      else if (value !== null) expect(typeof value).toBe(feature.dtype === "int64" ? "number" : "string");
    }
  }
});

test("every format writes a file an arm at least, with names of its own", async () => {
  for (const name of askExportNames) {
    const files = await askExports[name].files(input);
    expect(files.length).toBeGreaterThanOrEqual(exportedTasks(input).length);
    expect(new Set(files.map((file) => file.name)).size).toBe(files.length);
  }
});
