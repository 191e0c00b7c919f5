import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { AskResults, type SampleRecord } from "../../records/eval.ts";
import { readGenerations } from "../generations.ts";
import { collectResults, denominatorWords } from "../results.ts";
import { sha256, tasksOf } from "./export.ts";
import { askExportNames, askExports } from "./index.ts";

const sample = (
  id: string,
  index: number,
  verdict: SampleRecord["verdict"],
  extracted: string | null,
): SampleRecord => ({
  ...{
    version: 1,
    sample: `function/output/${id}/000${index}`,
    arm: "function",
    predict: "output",
    id,
    index,
  },
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
  ...{
    tokens: { prompt: 40, reply: 8, counted: 4 },
    speed: null,
    cost: null,
    style: "direct",
    scoring: "strict",
    samples: 2,
  },
  parameters: { temperature: 0.2, maximumTokens: 300, stop: ["[/ANSWER]"], contextTokens: null, seed: null },
  ...{
    seed: 0,
    data: null,
    traces: null,
    shots: null,
    prompt: null,
    arms,
    pairs: [],
    excluded: [],
    left: {},
  },
} satisfies AskResults);
const input = { results, samples, now: Date.UTC(2026, 10, 23) };

/** What inspect_ai's models of a log demand: fields without a default, and words of closed lists. */
const Metric = z.object({ name: z.string(), value: z.number(), params: z.record(z.string(), z.unknown()) });
const Message = z.discriminatedUnion("role", [
  z.object({
    role: z.literal("user"),
    content: z.string(),
    source: z.enum(["input", "generate"]).optional(),
  }),
  z.object({
    role: z.literal("assistant"),
    content: z.union([
      z.string(),
      z.array(
        z.discriminatedUnion("type", [
          z.object({ type: z.literal("text"), text: z.string() }),
          z.object({ type: z.literal("reasoning"), reasoning: z.string() }),
        ]),
      ),
    ]),
    source: z.enum(["input", "generate"]).optional(),
  }),
]);
const Usage = z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() });
const InspectLog = z.object({
  version: z.literal(2),
  status: z.enum(["started", "success", "cancelled", "error"]),
  eval: z.object({
    created: z.iso.datetime(),
    task: z.string(),
    dataset: z.object({
      name: z.string(),
      samples: z.int(),
      sample_ids: z.array(z.string()),
      shuffled: z.boolean(),
    }),
    model: z.string(),
    config: z.object({ epochs: z.int().optional() }),
  }),
  plan: z.object({
    name: z.string(),
    steps: z.array(z.object({ solver: z.string(), params: z.object({}) })),
  }),
  results: z.object({
    total_samples: z.int(),
    completed_samples: z.int(),
    scores: z.array(
      z.object({ name: z.string(), scorer: z.string(), metrics: z.record(z.string(), Metric) }),
    ),
  }),
  stats: z.object({ model_usage: z.record(z.string(), Usage) }),
  samples: z.array(
    z.object({
      id: z.union([z.int(), z.string()]),
      epoch: z.int().min(1),
      input: z.union([z.string(), z.array(Message)]),
      target: z.union([z.string(), z.array(z.string())]),
      messages: z.array(Message),
      output: z.object({
        model: z.string(),
        choices: z.array(
          z.object({
            message: Message,
            stop_reason: z.enum([
              "stop",
              "max_tokens",
              "model_length",
              "tool_calls",
              "content_filter",
              "unknown",
            ]),
          }),
        ),
        usage: Usage.optional(),
      }),
      scores: z.record(z.string(), z.object({ value: z.enum(["C", "I"]), answer: z.string() })).optional(),
    }),
  ),
});

test("inspect_ai's log has what its models demand, a sample a reply, and no score for what is missing", async () => {
  const [{ name, text }] = await askExports.inspect.files(input);
  const log = InspectLog.parse(JSON.parse(text));
  expect(name).toBe("inspect_cruxeval_function_output.json");
  expect(log.samples.map(({ id, epoch, scores }) => [id, epoch, scores?.strict.value])).toEqual([
    ["sample_0", 1, "C"],
    ["sample_0", 2, "I"],
    ["sample_1", 1, "I"],
    ["sample_1", 2, undefined],
  ]);
  expect(log.samples[3].output.choices[0].stop_reason).toBe("max_tokens");
  expect(log.results.scores[0].metrics.pass_at_1.value).toBe(arms[0].passAt[0].value);
  expect(log.eval.dataset).toMatchObject({ samples: 2, sample_ids: ["sample_0", "sample_1"] });
});

/** As the harness writes them after making them fit for a data set. */
const HarnessSample = z.object({
  ...{ doc_id: z.int(), doc: z.record(z.string(), z.unknown()), target: z.string() },
  arguments: z.record(
    z.string().regex(/^gen_args_\d+$/),
    z.record(z.string().regex(/^arg_\d+$/), z.unknown()),
  ),
  ...{ resps: z.array(z.array(z.string())), filtered_resps: z.array(z.array(z.string())) },
  ...{ filter: z.string(), metrics: z.array(z.string()) },
  ...{ doc_hash: z.string(), prompt_hash: z.string(), target_hash: z.string() },
  "pass@1": z.number(),
});
const HarnessResults = z.object({
  results: z.record(z.string(), z.record(z.string(), z.union([z.number(), z.string()]))),
  group_subtasks: z.record(z.string(), z.array(z.string())),
  configs: z.record(z.string(), z.object({ task: z.string(), output_type: z.literal("generate_until") })),
  versions: z.record(z.string(), z.number()),
  "n-shot": z.record(z.string(), z.number()),
  higher_is_better: z.record(z.string(), z.record(z.string(), z.boolean())),
  "n-samples": z.record(z.string(), z.object({ original: z.int(), effective: z.int() })),
  config: z.object({ model: z.string(), model_args: z.string() }),
  date: z.number(),
  model_name: z.string(),
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
    expect(files.length).toBeGreaterThanOrEqual(tasksOf(input).length);
    expect(new Set(files.map((file) => file.name)).size).toBe(files.length);
  }
});
