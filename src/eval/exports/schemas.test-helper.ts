/**
 * @file What other tools demand of the files that they read, in our words: every field that they declare, its type, and whether it
 * has a default. An object is strict: a field that they do not declare would be lost without a word.
 *
 * Sources, read on 2026-11-23: inspect_ai's `log/_log.py` (commit 020dd01), `model/_model_output.py` (071c8bd), `scorer/_metric.py`
 * (03ed3dd) and, for messages and their contents, `_view/www/log-schema.json` (001af72), the schema that it publishes for its
 * viewer; lm-evaluation-harness's `evaluator.py` and `loggers/evaluation_tracker.py` (034ab03). In inspect_ai's schema all is
 * required, since it is of what the tool writes; its reader is the models, where only what has no default is.
 */

import { z } from "zod";

/** `T | None = None` of pydantic. */
const maybe = <Type extends z.ZodType>(type: Type) => type.nullable().optional();
const anything = z.record(z.string(), z.unknown());
const text = z.string();
const int = z.int();
const number = z.number();
/** UtcDatetimeStr. */
const time = z.iso.datetime({ offset: true });

const Usage = z.strictObject({
  input_tokens: int.optional(),
  output_tokens: int.optional(),
  total_tokens: int.optional(),
  ...{ input_tokens_cache_write: maybe(int), input_tokens_cache_read: maybe(int) },
  ...{ reasoning_tokens: maybe(int), total_cost: maybe(number) },
});

const Content = z.discriminatedUnion("type", [
  z.strictObject({
    ...{ type: z.literal("text"), text, refusal: maybe(z.boolean()), citations: maybe(z.array(anything)) },
    internal: z.unknown().optional(),
  }),
  z.strictObject({
    ...{ type: z.literal("reasoning"), reasoning: text, summary: maybe(text), signature: maybe(text) },
    ...{ redacted: z.boolean().optional(), internal: z.unknown().optional() },
  }),
]);
const message = {
  content: z.union([text, z.array(Content)]),
  source: maybe(z.enum(["input", "generate"])),
  ...{ id: maybe(text), metadata: maybe(anything) },
};
const Assistant = z.strictObject({
  ...message,
  role: z.literal("assistant"),
  ...{ tool_calls: maybe(z.array(anything)), model: maybe(text) },
});
const Message = z.discriminatedUnion("role", [
  z.strictObject({ ...message, role: z.literal("system") }),
  z.strictObject({ ...message, role: z.literal("user"), tool_call_id: maybe(z.array(text)) }),
  Assistant,
]);

const stopReasons = [
  "stop",
  "max_tokens",
  "model_length",
  "tool_calls",
  "content_filter",
  "unknown",
] as const;
const Output = z.strictObject({
  model: text.optional(),
  choices: z
    .array(
      z.strictObject({
        message: Assistant,
        stop_reason: z.enum(stopReasons).optional(),
        logprobs: maybe(anything),
      }),
    )
    .optional(),
  completion: text.optional(),
  usage: maybe(Usage),
  ...{ time: maybe(number), metadata: maybe(anything), error: maybe(text) },
});

const Score = z.strictObject({
  value: z.union([text, number, z.boolean()]),
  ...{ answer: maybe(text), explanation: maybe(text), metadata: maybe(anything) },
  history: z.array(anything).optional(),
});

const Sample = z.strictObject({
  ...{ id: z.union([int, text]), epoch: int },
  input: z.union([text, z.array(Message)]),
  target: z.union([text, z.array(text)]),
  messages: z.array(Message).optional(),
  output: Output.optional(),
  scores: maybe(z.record(text, Score)),
  ...{ metadata: anything.optional(), store: anything.optional() },
  ...{ model_usage: z.record(text, Usage).optional(), uuid: maybe(text) },
});

/** Of GenerateConfig what an asking says; all of it has defaults. */
const GenerateConfig = z.strictObject({
  ...{ temperature: maybe(number), top_p: maybe(number), seed: maybe(int) },
  ...{ max_tokens: maybe(int), stop_seqs: maybe(z.array(text)), system_message: maybe(text) },
});

const Spec = z.strictObject({
  ...{ eval_id: text.optional(), run_id: text.optional(), created: time },
  ...{ task: text, task_id: text.optional(), task_version: z.union([int, text]).optional() },
  ...{ task_attribs: anything.optional(), task_args: anything.optional() },
  dataset: z.strictObject({
    ...{ name: maybe(text), location: maybe(text), samples: maybe(int), shuffled: maybe(z.boolean()) },
    sample_ids: maybe(z.array(z.union([text, int]))),
  }),
  ...{ model: text, model_base_url: maybe(text), model_args: anything.optional() },
  model_generate_config: GenerateConfig.optional(),
  config: z.strictObject({ epochs: maybe(int), limit: maybe(int), epochs_reducer: maybe(z.array(text)) }),
  ...{ packages: z.record(text, text).optional(), metadata: maybe(anything), tags: maybe(z.array(text)) },
  scorers: maybe(
    z.array(
      z.strictObject({
        ...{ name: text, options: maybe(anything), metadata: maybe(anything) },
        metrics: maybe(z.array(z.strictObject({ name: text, options: maybe(anything) }))),
      }),
    ),
  ),
});

const Metric = z.strictObject({
  ...{ name: text, value: number, params: anything.optional(), metadata: maybe(anything) },
});

export const InspectLog = z.strictObject({
  version: int,
  status: z.enum(["started", "success", "cancelled", "error"]),
  eval: Spec,
  plan: z
    .strictObject({
      name: text.optional(),
      steps: z
        .array(
          z.strictObject({ solver: text, params: anything.optional(), params_passed: anything.optional() }),
        )
        .optional(),
      config: GenerateConfig.optional(),
    })
    .optional(),
  results: z
    .strictObject({
      ...{ total_samples: int.optional(), completed_samples: int.optional(), metadata: maybe(anything) },
      scores: z
        .array(
          z.strictObject({
            ...{ name: text, scorer: text, reducer: maybe(text), params: anything.optional() },
            ...{ scored_samples: maybe(int), unscored_samples: maybe(int), metadata: maybe(anything) },
            metrics: z.record(text, Metric).optional(),
          }),
        )
        .optional(),
    })
    .nullable()
    .optional(),
  stats: z
    .strictObject({
      started_at: z.union([time, z.literal("")]).optional(),
      completed_at: z.union([time, z.literal("")]).optional(),
      model_usage: z.record(text, Usage).optional(),
    })
    .optional(),
  samples: maybe(z.array(Sample)),
});

const hash = text.regex(/^[0-9a-f]{64}$/);

/** One line of samples_*.jsonl: what `evaluate` logs, as the tracker makes it fit for a data set, and the metrics by their names. */
export const HarnessSample = z
  .object({
    ...{ doc_id: int.min(0), doc: anything, target: text },
    arguments: z.record(text.regex(/^gen_args_\d+$/), z.record(text.regex(/^arg_\d+$/), z.unknown())),
    resps: z.array(z.array(text)),
    filtered_resps: z.array(z.union([text, z.array(text)])),
    ...{ filter: text, metrics: z.array(text) },
    ...{ doc_hash: hash, prompt_hash: hash, target_hash: hash },
  })
  .catchall(number);

const byTask = <Type extends z.ZodType>(type: Type) => z.record(text, type);

/** results_*.json: what `simple_evaluate` returns, and the fields of the tracker's GeneralConfigTracker. */
export const HarnessResults = z.strictObject({
  /** `alias`, and METRIC,FILTER with METRIC_stderr,FILTER, of which one that is not known is N/A. */
  results: byTask(
    z
      .object({ alias: text })
      .catchall(z.union([number, z.literal("N/A")]))
      .refine((row) => Object.keys(row).every((name) => name === "alias" || /^[\w@]+,\w+$/.test(name))),
  ),
  ...{
    group_subtasks: byTask(z.array(text)),
    configs: byTask(anything),
    versions: byTask(z.union([int, text])),
  },
  ...{ "n-shot": byTask(int), higher_is_better: byTask(byTask(z.boolean())) },
  "n-samples": byTask(z.strictObject({ original: int, effective: int })),
  config: z.looseObject({ model: text, model_args: text }),
  ...{ git_hash: text.nullable(), date: number, task_hashes: byTask(hash) },
  ...{ model_source: text, model_name: text, model_name_sanitized: text },
  ...{ system_instruction: text.nullable(), system_instruction_sha: hash.nullable() },
  ...{ fewshot_as_multiturn: z.boolean().nullable() },
  ...{ chat_template: text.nullable(), chat_template_sha: hash.nullable() },
  ...{ start_time: number.nullable(), end_time: number.nullable() },
  total_evaluation_time_seconds: text.nullable(),
});
