/** @file The flags of `llm eval` and `llm replay`; `EvalConfig` has their defaults. */

import { benchNames } from "../../eval/benchmarks/index.ts";
import { arms, styles } from "../../eval/question.ts";
import { missingPolicies } from "../../schemas/eval.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import type { BenchmarkOptions } from "../../schemas/questions.ts";
import { costOptions, endpointConfig, endpointOptions, samplingOptions } from "./endpoint.ts";
import { flag, group, rare, sandboxOptions, seedOption, setOption, type Values } from "./flags.ts";

const usual = EvalConfig.parse({});

/** The flags that decide the questions of a benchmark, with --seed. */
export const questionOptions = {
  ...group("What to test", {
    set: { ...setOption, description: "change the benchmark, e.g. programs=50; may be repeated" },
    predict: flag.texts("WHAT", "output or input; repeat for both [output]"),
    arm: flag.texts("ARM", `${arms.join(", ")}; repeat to compare [function]`),
    ...rare({
      traces: flag.text("FILE", "traces.jsonl of data trace, for the traced arm"),
      data: flag.text("FILE", "data of the benchmark [the imported file, or in STATELAB_DATA]"),
      fields: flag.text("FIELD=COLUMN,...", "columns of --bench functions: code, input, output"),
    }),
  }),
  ...group("Prompts and scoring", {
    style: flag.choice("STYLE", "direct, or cot (chain of thought)", styles, {
      default: usual.style,
    }),
    "few-shot": flag.integer("N", "examples in the prompt [2]", { least: 0 }),
    ...rare({
      prompt: flag.text("FILE", "your own prompt, or upstream for CRUXEval's"),
      scoring: flag.choice(
        "RULES",
        "strict (same value and types) or upstream (CRUXEval's evaluator)",
        ["strict", "upstream"],
        { default: usual.scoring },
      ),
    }),
  }),
};

export const evalOptions = {
  ...group("What to test", {
    bench: flag.text(
      "NAME",
      `LLM benchmark: ${benchNames.slice(0, 4).join(", ")}, ... (statelab list benchmarks)`,
    ),
    task: flag.text("NAME|FILE", "a built-in task or your own file, instead of --bench"),
  }),
  ...questionOptions,
  ...group("Prompts and scoring", {
    samples: flag.integer("N", "answers per program, for pass@k", { default: usual.samples, least: 1 }),
    ...rare({
      truncated: flag.choice(
        "POLICY",
        "count truncated answers as wrong, exclude them, or both",
        missingPolicies,
        { default: usual.missing },
      ),
    }),
  }),
  ...endpointOptions,
  ...samplingOptions(
    "maximum tokens of a reply [300; cot 2000; by task]",
    "random seed sent to the server, plus the sample's index",
  ),
  ...costOptions,
  ...group("Run", {
    out: flag.text("DIR", "result folder [runs/llm-BENCH-MODEL]"),
    ...rare({ seed: seedOption }),
  }),
  ...rare(sandboxOptions),
};

/** The evaluation that the flags describe. */
export function evalConfig(values: Values<typeof evalOptions>): EvalConfig {
  const { bench, task, samples, seed, python: host } = values;
  return EvalConfig.parse({
    ...endpointConfig(values),
    ...questionsConfig(values),
    ...{ bench, task, missing: values.truncated, samples, seed, host, folder: values.out },
  });
}

/** The same for a named benchmark, without the fields at their defaults. */
export function benchmarkOptions(
  bench: string,
  { seed, ...values }: Values<typeof questionOptions> & { readonly seed: number },
): BenchmarkOptions {
  const given = Object.entries({ seed, ...questionsConfig(values) }).filter(
    ([name, value]) =>
      value !== undefined && JSON.stringify(value) !== JSON.stringify(usual[name as keyof EvalConfig]),
  );
  return { bench, ...Object.fromEntries(given) };
}

export function questionsConfig(values: Values<typeof questionOptions>) {
  const { predict, style, prompt, scoring, data, traces } = values;
  return {
    ...{ predict, style, prompt, scoring, data, traces },
    ...{ shots: values["few-shot"], columns: values.fields, settings: values.set, arms: values.arm },
  };
}
