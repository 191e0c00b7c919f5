/**
 * @file inspect_ai's log, version 2, as JSON: one file per arm and direction, one sample per reply, epochs from 1.
 * Its tools find a log by its name, DATE_TASK_ID.json, and read the model as PROVIDER/NAME.
 *
 *     {"version": 2, "status": "success", "eval": {...}, "results": {...}, "samples": [{"id": "sample_0", "epoch": 1, ...}]}
 *
 * A correct answer is "C", any other "I", including those with the stop reason max_tokens. Samples of excluded
 * programs have no score, so pass_at_1 is the mean over the scored samples.
 *
 * Source: its `inspect_ai/log/_log.py`; schemas.test-helper.ts has its declared types.
 */

import { mean, standardError } from "../../core/statistics.ts";
import type { ArmResult, AskResults, SampleRecord } from "../../schemas/eval.ts";
import { sha256 } from "../ask.ts";
import { replyEnd } from "../endpoints/api-errors.ts";
import { type AskExport, exportedTasks } from "./export.ts";

export const inspect: AskExport = {
  summary: "inspect_ai's log",
  async files(input) {
    const tasks = exportedTasks(input).map(async ({ name, arm, samples, rightIn }) => {
      const created = new Date(input.now).toISOString();
      const { endpoint } = input.results;
      const model = `openai-api/statelab/${input.results.model}`;
      const results = { ...input.results, model };
      const id = (await sha256(JSON.stringify([name, endpoint, model, created]))).slice(0, 22);
      const log = {
        version: 2,
        status: "success",
        eval: specOf(name, id, created, results, samples),
        plan: { name: "plan", steps: [{ solver: "generate", params: {} }], config: {} },
        results: resultsOf(arm, results, samples, rightIn),
        stats: { started_at: created, completed_at: created, model_usage: usageOf(results) },
        samples: samples.map((sample) => sampleOf(sample, results, rightIn)),
      };
      const date = created.replace(/\.\d+Z$/, "+00:00").replaceAll(":", "-");
      return {
        name: `${date}_${name.replaceAll("_", "-")}_${id}.json`,
        text: `${JSON.stringify(log, null, 2)}\n`,
      };
    });
    return Promise.all(tasks);
  },
};

/** `id`: unique across all logs. */
function specOf(
  name: string,
  id: string,
  created: string,
  results: AskResults,
  samples: readonly SampleRecord[],
) {
  const { model, endpoint, seed, parameters, style, scoring, missing, denominator } = results;
  const ids = [...new Set(samples.map(({ id }) => id))];
  return {
    ...{ eval_id: id, run_id: id, created, task: name, task_id: id, task_version: 1 },
    task_attribs: {},
    task_args: { bench: results.bench, style, scoring, missing, ...results.params },
    dataset: { name: results.bench, samples: ids.length, sample_ids: ids, shuffled: false },
    ...{ model, model_base_url: endpoint },
    model_generate_config: {
      temperature: parameters.temperature,
      max_tokens: parameters.maximumTokens,
      stop_seqs: parameters.stop,
      ...(parameters.seed !== null && { seed: parameters.seed }),
    },
    config: { epochs: results.samples },
    scorers: [
      { name: scoring, options: {}, metrics: [{ name: "accuracy" }, { name: "stderr" }], metadata: {} },
    ],
    packages: {},
    metadata: { seed, denominator },
  };
}

type RightIn = ReadonlyMap<string, number>;

function resultsOf(
  { passAt }: ArmResult,
  { scoring, samples: wanted }: AskResults,
  samples: readonly SampleRecord[],
  rightIn: RightIn,
) {
  const shares = [...rightIn.values()].map((right) => right / wanted);
  const numbers = [
    ["accuracy", shares.length === 0 ? null : mean(shares)],
    ["stderr", shares.length < 2 ? null : standardError(shares)],
    ...passAt.map(({ k, value }) => [`pass_at_${k}`, value] as const),
  ] as const;
  const metrics = Object.fromEntries(
    numbers.flatMap(([name, value]) => (value === null ? [] : [[name, { name, value, params: {} }]])),
  );
  const scored_samples = samples.filter(({ id }) => rightIn.has(id)).length;
  const unscored_samples = samples.length - scored_samples;
  const score = { name: scoring, scorer: scoring, scored_samples, unscored_samples, params: {}, metrics };
  return { total_samples: samples.length, completed_samples: samples.length, scores: [score] };
}

function usageOf({ model, tokens: { prompt, reply } }: AskResults) {
  return { [model]: { input_tokens: prompt, output_tokens: reply, total_tokens: prompt + reply } };
}

function sampleOf(sample: SampleRecord, { model, scoring }: AskResults, rightIn: RightIn) {
  const { id, index, prompt, expected, replies, reasoning, finish, promptTokens, replyTokens } = sample;
  const text = replies.at(-1)!; // the schema asks for one
  const thought = reasoning?.at(-1) ?? "";
  const content =
    thought === ""
      ? text
      : [
          { type: "reasoning", reasoning: thought },
          { type: "text", text },
        ];
  const message = { id: `${id}-${index}-reply`, role: "assistant", content, source: "generate", model };
  const counts = promptTokens !== null && replyTokens !== null;
  return {
    ...{ id, epoch: index + 1, input: prompt, target: expected },
    messages: [{ id: `${id}-${index}-prompt`, role: "user", content: prompt, source: "input" }, message],
    output: {
      model,
      choices: [{ message, stop_reason: replyEnd(finish) === "out-of-tokens" ? "max_tokens" : "stop" }],
      completion: text,
      ...(counts && {
        usage: {
          input_tokens: promptTokens,
          output_tokens: replyTokens,
          total_tokens: promptTokens + replyTokens,
        },
      }),
    },
    ...(rightIn.has(id) && {
      scores: {
        [scoring]: {
          value: sample.verdict === "correct" ? "C" : "I",
          answer: sample.extracted ?? "",
          explanation: sample.words === "" ? sample.verdict : `${sample.verdict}: ${sample.words}`,
        },
      },
    }),
    metadata: { arm: sample.arm, predict: sample.predict, steps: sample.steps, verdict: sample.verdict },
    store: {},
  };
}
