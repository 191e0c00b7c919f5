/** @file The flags of `ask`, and what they order; also for a share of an asking, which another process was handed. */

import { chosenBench } from "../app/llm/benchmark.ts";
import type { AskOrder } from "../app/llm/eval.ts";
import { benchNames } from "../eval/benchmarks/index.ts";
import { arms, styles } from "../eval/question.ts";
import { missingPolicies } from "../schemas/eval.ts";
import {
  defaulted,
  endpointFlags,
  endpointOptions,
  numberFlag,
  optionalInteger,
  patienceFlags,
  priceFlags,
  samplingFlags,
  text,
} from "./lib/endpoint.ts";
import { choiceFlag, integerFlag, type Options, seedOption, setOption, type Values } from "./lib/command.ts";
import { sandboxFlags, sandboxOptions } from "./lib/flags.ts";

export const askOptions = {
  bench: text("NAME", `one of ${benchNames.join(", ")}`),
  task: text("NAME", "instead of a bench: a task, built in or your own (./mine.ts)"),
  arm: { ...text("ARM", `how programs are shown: ${arms.join(", ")}; may be repeated`), multiple: true },
  predict: { ...text("WHAT", "output (default) or input; may be repeated"), multiple: true },
  style: defaulted("STYLE", "direct", "direct, or cot: a chain of thought before the answer"),
  shots: text("N", "worked examples in a prompt; default 2"),
  prompt: text(
    "FILE",
    "the prompt in your own words; upstream: CRUXEval's, of its prompts.py (docs/asking.md)",
  ),
  scoring: defaulted("RULES", "strict", "strict, or upstream: as CRUXEval's evaluator"),
  missing: defaulted(
    "POLICY",
    "both",
    "what an answer that ran out of tokens is: wrong, excluded, or both are shown",
  ),
  price: text("INPUT,OUTPUT", "of a million tokens of prompts and of replies"),
  prices: text("FILE", 'the same for several models: {"MODEL": {"input": 0.15, "output": 0.6}}'),
  budget: text("AMOUNT", "ask nothing more when this command has spent so much"),
  set: { ...setOption, description: "a parameter of the bench, e.g. --set programs=50; may be repeated" },
  data: text(
    "FILE",
    "cruxeval.jsonl, mbpp.jsonl (default: the imported one, or below STATELAB_DATA), or a file of evaluate --reveals",
  ),
  columns: text(
    "FIELD=COLUMN,...",
    "of --bench functions: where code, input and output stand in your file (function_name, id, too)",
  ),
  traces: text("FILE", "traces.jsonl of `data trace`: for the traced arm, and for accuracy by steps"),
  samples: defaulted("N", "1", "answers per program, for pass@k"),
  temperature: defaulted("T", "0", "of sampling"),
  "max-tokens": text(
    "N",
    "the longest reply; default 300, with cot 2000, for s5 by its commands, for reveals as the value",
  ),
  context: text("N", "room for prompt and reply, for Ollama"),
  "server-seed": text("N", "a seed for the server, plus the sample's index"),
  ...endpointOptions,
  out: text("DIR", "where everything is written; default runs/ask-BENCH-MODEL; of several models DIR/MODEL"),
  seed: seedOption,
  ...sandboxOptions,
} as const satisfies Options;

/** One order for all models, and what is each one's own. `flags` may come from a manifest: each is looked at here. */
export async function orderOf(
  flags: Readonly<Record<string, unknown>>,
  { signal, progress }: Pick<AskOrder, "signal" | "progress">,
) {
  const values = flags as Values<typeof askOptions>; // made by the command line from these options
  const bench = await chosenBench(values.bench, values.task);
  const order = {
    ...{
      bench,
      ...armsOf(bench, values.arm, values.set),
      data: values.data,
      traces: values.traces,
      folder: values.out,
    },
    columns: values.columns,
    predict: chosen("--predict", values.predict.length > 0 ? values.predict : ["output"], bench.predict),
    style: choiceFlag("--style", values.style, styles),
    scoring: choiceFlag("--scoring", values.scoring, ["strict", "upstream"]),
    ...(values.shots !== undefined && { shots: integerFlag("--shots", values.shots, 0) }),
    ...(values.prompt !== undefined && { prompt: values.prompt }),
    seed: integerFlag("--seed", values.seed),
    samples: integerFlag("--samples", values.samples, 1),
    parameters: {
      temperature: numberFlag("--temperature", values.temperature, 0),
      maximumTokens: optionalInteger("--max-tokens", values["max-tokens"], 1),
      contextTokens: optionalInteger("--context", values.context, 1) ?? null,
      seed: optionalInteger("--server-seed", values["server-seed"]) ?? null,
      ...samplingFlags(values),
    },
    missing: choiceFlag("--missing", values.missing, missingPolicies),
    ...(values.budget !== undefined && { budget: numberFlag("--budget", values.budget, 0) }),
    ...patienceFlags(values),
    sandbox: sandboxFlags(values),
    ...{ signal, progress },
  };
  const models = await Promise.all(
    (values.model.length === 0 ? [undefined] : values.model).map(async (model) => ({
      ...{ model, asked: endpointFlags(values, model) },
      ...(await priceFlags(values, model)),
    })),
  );
  return { order, models };
}

/** The arms that --arm names, or the setting by which the bench has them. */
function armsOf(
  { arms, armSetting }: AskOrder["bench"],
  given: readonly string[],
  settings: readonly string[],
) {
  const words = given.flatMap((each) => each.split(",")).map((word) => word.trim());
  if (armSetting === undefined || words.every((word) => arms.some((arm) => arm === word)))
    return { arms: chosen("--arm", given, arms), settings };
  return { arms: arms.slice(0, 1), settings: [...settings, `${armSetting}=${JSON.stringify(words)}`] };
}

/** The words of a flag that may be repeated, each one of those that the bench has; its first by default. */
function chosen<const T extends string>(flag: string, given: readonly string[], known: readonly T[]): T[] {
  const words = given.flatMap((each) => each.split(","));
  return words.length === 0
    ? [known[0]]
    : [...new Set(words.map((word) => choiceFlag(flag, word.trim(), known)))];
}
