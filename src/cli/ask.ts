/** @file statelab ask: asks a language model what programs do, and says how often and where it is right. */

import { benchNames } from "../eval/benches/index.ts";
import { unavailable } from "../eval/endpoint.ts";
import { arms, styles } from "../eval/question.ts";
import { exitCodes, fail } from "../records/error.ts";
import { missingPolicies } from "../records/eval.ts";
import { askTable } from "../report/ask-table.ts";
import { askBench } from "../work/ask/ask.ts";
import { chosenBench } from "../work/ask/bench.ts";
import { type AskReplay, replayAsking } from "../work/ask/replay.ts";
import { type AskEnd, summaryOf } from "../work/ask/run.ts";
import { type AskedSeveral, askSeveral } from "../work/ask/several.ts";
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
} from "./ask-endpoint.ts";
import { choiceFlag, defineCommand, integerFlag, seedOption, setOption } from "./command.ts";
import { askedText } from "./compare.ts";
import { sandboxFlags, sandboxOptions } from "./host-flags.ts";
import { progressOn } from "./progress.ts";

export const command = defineCommand({
  name: "ask",
  summary: "ask a language model what programs do",
  usage:
    "ask --bench NAME --base-url URL --model NAME ... [--arm ARM ...] [--predict output|input ...] [--out DIR]",
  locks: true,
  options: {
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
    replay: {
      type: "boolean",
      description:
        "ask nothing: compute every sample and number again from the answers, and name what differs",
    },
    out: text(
      "DIR",
      "where everything is written; default runs/ask-BENCH-MODEL; of several models DIR/MODEL",
    ),
    seed: seedOption,
    ...sandboxOptions,
  },
  examples: [
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench cruxeval --arm function --arm traced --traces data/cruxeval-traces/traces.jsonl --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench s5 --set commands='[8, 16]' --protocol ollama --base-url http://localhost:11434 --model NAME",
    "ask --bench reveals --data reveals.jsonl --protocol completion --base-url http://127.0.0.1:8000/v1 --model NAME",
    "ask --bench parity --endpoint scripted:answers.jsonl",
    "ask --bench functions --data mine.parquet --columns code=source,input=args,output=result --base-url URL --model NAME",
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model ONE --model ANOTHER --out runs/two",
    "ask --task ./mine.ts --set commands=8 --base-url http://localhost:8000/v1 --model NAME",
  ],
  notes:
    "Writes DIR/answers.jsonl as answers come, then samples.jsonl, results.json and report.html.\n" +
    "The same command goes on where it was stopped: no answer that was kept is asked for again.\n" +
    "Each line of answers.jsonl holds the hash of the one before; a changed byte is named, and --replay computes the rest again (3).\n" +
    "Exit codes: 1 some samples have no answer, 5 the endpoint is unavailable, 6 no sandbox to run answers in.",

  async run({ values, json, print, say, signal }) {
    const bench = await chosenBench(values.bench, values.task);
    const order = {
      ...{ bench, settings: values.set, data: values.data, traces: values.traces, folder: values.out },
      columns: values.columns,
      arms: chosen("--arm", values.arm, bench.arms),
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
      ...{ signal, progress: progressOn(process.stderr) },
    };
    const models = await Promise.all(
      (values.model.length === 0 ? [undefined] : values.model).map(async (model) => ({
        ...{ model, asked: endpointFlags(values, model) },
        ...(await priceFlags(values, model)),
      })),
    );
    const asking = async () => {
      const [{ model: _, ...only }, ...others] = models;
      if (values.replay) {
        if (others.length > 0) fail("--replay", "one model", String(models.length));
        return replayed(await replayAsking({ ...order, ...only }), json, print);
      }
      if (others.length === 0) return report(await askBench({ ...order, ...only }), json, print, say);
      const several = await askSeveral(
        order,
        models.map((each) => ({ ...each, model: each.model! })), // of several models each has a name
      );
      return reportSeveral(several, json, print, say);
    };
    return asking().catch((error) => {
      if (signal.aborted) say("statelab: stopped; every answer so far is kept, the same command goes on");
      throw error;
    });
  },
});

/** The words of a flag that may be repeated, each one of those that the bench has; its first by default. */
function chosen<const T extends string>(flag: string, given: readonly string[], known: readonly T[]): T[] {
  const words = given.flatMap((each) => each.split(","));
  return words.length === 0
    ? [known[0]]
    : [...new Set(words.map((word) => choiceFlag(flag, word.trim(), known)))];
}

type Words = (text: string) => void;

function replayed(replay: AskReplay, json: boolean, print: Words): number {
  const { folder, answers, samples } = replay;
  print(
    json
      ? JSON.stringify(replay)
      : `${folder}: ${answers} answers, ${samples} samples: computed again, nothing differs`,
  );
  return exitCodes.ok;
}

function report({ tally, results, words }: AskEnd, json: boolean, print: Words, say: Words): number {
  if (json) print(JSON.stringify({ asked: tally, results: results ?? null }));
  else if (results !== undefined) print(askTable(results));
  return said({ tally, words }, say);
}

/** Each model, then all against the first. */
function reportSeveral(
  { models, comparisons, uncompared }: AskedSeveral,
  json: boolean,
  print: Words,
  say: Words,
): number {
  const codes = models.map(({ model, end }) => {
    if (end === undefined) return exitCodes.finishedWithFailures;
    if (!json && end.results !== undefined) print(`${model}, in ${end.folder}\n${askTable(end.results)}\n`);
    say(`statelab: ${model}:`);
    return said(end, say);
  });
  if (json) {
    const asked = models.map(({ model, end }) => ({
      ...{ model, folder: end?.folder ?? null, asked: end?.tally ?? null, results: end?.results ?? null },
    }));
    print(JSON.stringify({ models: asked, comparisons }));
  } else if (comparisons.length > 0) print(askedText(comparisons));
  if (uncompared !== undefined) say(`statelab: not compared: ${uncompared}`);
  return codes.find((code) => code === exitCodes.endpoint) ?? Math.max(...codes);
}

/** How the asking of one model ended, and its exit code. */
function said({ tally, words }: Pick<AskEnd, "tally" | "words">, say: Words): number {
  say(`statelab: ${summaryOf(tally)}`);
  for (const [kind, text] of Object.entries(words)) say(`statelab: ${kind}: ${text}`);
  const left = Object.keys(tally.left);
  if (left.length === 0) return tally.stopped === undefined ? exitCodes.ok : exitCodes.finishedWithFailures;
  say("statelab: what the endpoint did not deliver is in no figure; the same command asks for it again");
  return left.some((kind) => unavailable.has(kind)) ? exitCodes.endpoint : exitCodes.finishedWithFailures;
}
