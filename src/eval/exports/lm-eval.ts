/**
 * @file lm-evaluation-harness's layout: `results_DATE.json`, and `samples_TASK_DATE.jsonl` with one line a sample.
 *
 *     {"results": {"cruxeval_function_output": {"alias": ..., "pass@1,none": 0.34}}, ...}
 *     {"doc_id": 0, "doc": {...}, "target": "17", "arguments": {"gen_args_0": {"arg_0": PROMPT, "arg_1": {...}}}, "resps": [["17"]], ...}
 *
 * Source: its `lm_eval/evaluator.py` and `lm_eval/loggers/evaluation_tracker.py`, version 0.4.
 */

import { standardError } from "../../core/statistics.ts";
import type { SampleRecord } from "../../schemas/eval.ts";
import { sha256 } from "../ask.ts";
import { passAtK } from "../scoring/pass-at-k.ts";
import { type AskExport, type ExportInput, exportedTasks } from "./export.ts";

export const lmEval: AskExport = {
  summary: "lm-evaluation-harness's results and samples",
  async files(input) {
    const { results, now } = input;
    const date = new Date(now).toISOString().replaceAll(":", "-");
    const tasks = exportedTasks(input);
    const by = <T>(value: (task: (typeof tasks)[number]) => T) =>
      Object.fromEntries(tasks.map((task) => [task.name, value(task)]));
    const { temperature, maximumTokens, stop } = results.parameters;
    const generation = { until: stop, max_gen_toks: maximumTokens, temperature, do_sample: temperature > 0 };
    const lines = await Promise.all(
      tasks.map(async ({ samples }) => Promise.all(linesOf(samples, generation))),
    );
    const hashes = await Promise.all(
      lines.map((own) =>
        sha256(own.map((line) => line.doc_hash + line.prompt_hash + line.target_hash).join("")),
      ),
    );
    const { system = null } = results.parameters;
    const template = results.parameters.chatTemplate?.template ?? null;
    const document = {
      results: by(({ name, arm, rightIn }) => ({
        alias: name,
        ...Object.fromEntries(
          arm.passAt.flatMap(({ k, value }) => {
            const shares = [...rightIn.values()].map((right) => passAtK(results.samples, right, k));
            const error = shares.length < 2 ? "N/A" : standardError(shares);
            return value === null
              ? []
              : [
                  [`pass@${k},none`, value],
                  [`pass@${k}_stderr,none`, error],
                ];
          }),
        ),
      })),
      group_subtasks: by(() => []),
      configs: by(({ name }) => ({
        task: name,
        output_type: "generate_until",
        repeats: results.samples,
        num_fewshot: shotsOf(results),
        generation_kwargs: generation,
        metric_list: [{ metric: "pass@1", aggregation: "mean", higher_is_better: true }],
        metadata: {
          version: 1,
          scoring: results.scoring,
          missing: results.missing,
          denominator: results.denominator,
        },
      })),
      versions: by(() => 1),
      "n-shot": by(() => shotsOf(results)),
      higher_is_better: by(({ arm }) => Object.fromEntries(arm.passAt.map(({ k }) => [`pass@${k}`, true]))),
      "n-samples": by(({ arm }) => ({ original: arm.programs, effective: arm.programs })),
      config: {
        model: results.protocol,
        model_args: `model=${results.model},base_url=${results.endpoint}`,
        gen_kwargs: null,
        limit: null,
      },
      ...{ git_hash: null, date: now / 1000 },
      task_hashes: Object.fromEntries(tasks.map(({ name }, i) => [name, hashes[i]])),
      ...{ model_source: results.protocol, model_name: results.model },
      model_name_sanitized: results.model.replaceAll(/["<>:/|\\?*[\]]+/g, "__"),
      ...{ system_instruction: system, system_instruction_sha: system && (await sha256(system)) },
      ...{ chat_template: template, chat_template_sha: template && (await sha256(template)) },
      fewshot_as_multiturn: false,
      // An asking may have been stopped and gone on: it has no one duration.
      ...{ start_time: null, end_time: null, total_evaluation_time_seconds: null },
    };
    const files = tasks.map(({ name }, i) => ({
      name: `samples_${name}_${date}.jsonl`,
      text: lines[i].map((line) => `${JSON.stringify(line)}\n`).join(""),
    }));
    return [{ name: `results_${date}.json`, text: `${JSON.stringify(document, null, 2)}\n` }, ...files];
  },
};

/** Number of worked examples; `reveals` has none. */
const shotsOf = ({ bench, shots }: ExportInput["results"]) => shots ?? (bench === "reveals" ? 0 : 2);

/** One line a program: its samples are its responses. */
function linesOf(samples: ExportInput["samples"], generation: object) {
  const programs = new Map<string, SampleRecord[]>();
  for (const sample of samples) programs.set(sample.id, [...(programs.get(sample.id) ?? []), sample]);
  return [...programs.values()].map(async (own, docId) => {
    const [{ id, steps, prompt, expected }] = own;
    const doc = { id, steps, expected };
    const right = own.filter(({ verdict }) => verdict === "correct").length / own.length;
    return {
      ...{ doc_id: docId, doc, target: expected },
      arguments: { gen_args_0: { arg_0: prompt, arg_1: generation } },
      resps: [own.map(({ replies }) => replies.at(-1)!)], // the schema asks for one
      filtered_resps: [own.map(({ extracted }) => extracted ?? "")],
      ...{ filter: "none", metrics: ["pass@1"] },
      doc_hash: await sha256(JSON.stringify(doc, null, 2)),
      prompt_hash: await sha256(prompt),
      target_hash: await sha256(expected),
      "pass@1": right,
    };
  });
}
