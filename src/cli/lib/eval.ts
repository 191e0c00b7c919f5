/** @file The flags of `llm eval` and `llm replay`; `EvalConfig` has their defaults. */

import { benchNames } from "../../eval/benchmarks/index.ts";
import { arms, styles } from "../../eval/question.ts";
import { missingPolicies } from "../../schemas/eval.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { costOptions, endpointConfig, endpointOptions, samplingOptions } from "./endpoint.ts";
import { flag, group, sandboxOptions, seedOption, setOption, type Values } from "./flags.ts";

const usual = EvalConfig.parse({});

export const evalOptions = {
  ...group("What to test", {
    bench: flag.text("NAME", `one of ${benchNames.join(", ")}`),
    task: flag.text("NAME", "instead of a bench: a task, built in or your own (./mine.ts)"),
    arm: flag.texts("ARM", `how programs are shown: ${arms.join(", ")}; may be repeated`),
    predict: flag.texts("WHAT", "output (default) or input; may be repeated"),
  }),
  ...group("Prompts and scoring", {
    style: flag.choice("STYLE", "direct, or cot: a chain of thought before the answer", styles, {
      default: usual.style,
    }),
    "few-shot": flag.integer("N", "worked examples in a prompt; default 2", { least: 0 }),
    prompt: flag.text(
      "FILE",
      "the prompt in your own words; upstream: CRUXEval's, of its prompts.py (docs/how-to/evaluate-llm.md)",
    ),
    scoring: flag.choice("RULES", "strict, or upstream: as CRUXEval's evaluator", ["strict", "upstream"], {
      default: usual.scoring,
    }),
    truncated: flag.choice(
      "POLICY",
      "what an answer that ran out of tokens is: wrong, excluded, or both are shown",
      missingPolicies,
      { default: usual.missing },
    ),
  }),
  ...costOptions,
  ...group("What to test", {
    set: { ...setOption, description: "a parameter of the bench, e.g. --set programs=50; may be repeated" },
    data: flag.text(
      "FILE",
      "cruxeval.jsonl, mbpp.jsonl (default: the imported one, or below STATELAB_DATA), or a file of evaluate --save-predictions",
    ),
    fields: flag.text(
      "FIELD=COLUMN,...",
      "of --bench functions: where code, input and output stand in your file (function_name, id, too)",
    ),
    traces: flag.text("FILE", "traces.jsonl of `data trace`: for the traced arm, and for accuracy by steps"),
  }),
  ...group("Run", {
    samples: flag.integer("N", "answers per program, for pass@k", { default: usual.samples, least: 1 }),
  }),
  ...samplingOptions(
    "the longest reply; default 300, with cot 2000, for s5 by its commands, for reveals as the value",
    "a seed for the server, plus the sample's index",
  ),
  ...endpointOptions,
  ...group("Run", {
    out: flag.text(
      "DIR",
      "where everything is written; default runs/llm-BENCH-MODEL; of several models DIR/MODEL",
    ),
    seed: seedOption,
  }),
  ...sandboxOptions,
};

/** The evaluation that the flags describe. */
export function evalConfig(values: Values<typeof evalOptions>): EvalConfig {
  const { bench, task, predict, style, prompt, scoring, data, traces } = values;
  const { samples, seed, python: host } = values;
  return EvalConfig.parse({
    ...endpointConfig(values),
    ...{ bench, task, predict, style, prompt, scoring, data, traces },
    ...{ shots: values["few-shot"], missing: values.truncated, columns: values.fields },
    ...{ samples, seed, host, settings: values.set, arms: values.arm, folder: values.out },
  });
}
