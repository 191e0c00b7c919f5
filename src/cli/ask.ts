/** @file statelab ask: asks a language model what programs do, and says how often and where it is right. */

import { join } from "node:path";
import { benches, benchNamed } from "../eval/benches/index.ts";
import { protocols } from "../eval/protocols.ts";
import { arms, type Bench, styles } from "../eval/question.ts";
import { applySettings, parseWith } from "../records/config.ts";
import { exitCodes, fail } from "../records/error.ts";
import type { AskResults } from "../records/eval.ts";
import { RevealRecord } from "../records/reveals.ts";
import { TracedRow } from "../records/traced.ts";
import { textTable } from "../report/text-table.ts";
import { benchmarks } from "../trace/benchmarks.ts";
import { type AskEnd, runAsk, summaryOf } from "../work/ask/run.ts";
import { openSandbox } from "../work/ask/sandbox.ts";
import { dataPath, readJsonLines, readRows } from "../work/data/files.ts";
import { numberFlag, openEndpoint } from "./ask-endpoint.ts";
import { choiceFlag, defineCommand, integerFlag, seedOption, setOption } from "./command.ts";
import { sandboxFlags, sandboxOptions } from "./host-flags.ts";
import { progressOn } from "./progress.ts";

const text = (value: string, description: string) => ({ type: "string", value, description }) as const;
const defaulted = (value: string, byDefault: string, description: string) =>
  ({ type: "string", value, default: byDefault, description }) as const;

export const command = defineCommand({
  name: "ask",
  summary: "ask a language model what programs do",
  usage:
    "ask --bench NAME --base-url URL --model NAME [--arm ARM ...] [--predict output|input ...] [--out DIR]",
  options: {
    bench: text("NAME", `one of ${Object.keys(benches).join(", ")}`),
    arm: { ...text("ARM", `how programs are shown: ${arms.join(", ")}; may be repeated`), multiple: true },
    predict: { ...text("WHAT", "output (default) or input; may be repeated"), multiple: true },
    style: defaulted("STYLE", "direct", "direct, or cot: a chain of thought before the answer"),
    scoring: defaulted("RULES", "strict", "strict, or upstream: as CRUXEval's evaluator"),
    set: { ...setOption, description: "a parameter of the bench, e.g. --set programs=50; may be repeated" },
    data: text(
      "FILE",
      "cruxeval.jsonl, mbpp.jsonl (default: the imported one, or below STATELAB_DATA), or a file of evaluate --reveals",
    ),
    traces: text("FILE", "traces.jsonl of `data trace`: for the traced arm, and for accuracy by steps"),
    "base-url": text("URL", "the server, up to the protocol's path: http://localhost:8000/v1"),
    endpoint: text("scripted:FILE", "answers from a file, instead of a server"),
    protocol: defaulted("NAME", "chat", `${Object.keys(protocols).join(", ")}`),
    model: text("NAME", "the model, as the server calls it"),
    "key-env": defaulted(
      "VARIABLE",
      "STATELAB_API_KEY",
      "the environment variable that holds the key, if one is needed",
    ),
    samples: defaulted("N", "1", "answers per program, for pass@k"),
    temperature: defaulted("T", "0", "of sampling"),
    "max-tokens": text(
      "N",
      "the longest reply; default 300, with cot 2000, for s5 by its commands, for reveals as the value",
    ),
    context: text("N", "room for prompt and reply, for Ollama"),
    "server-seed": text("N", "a seed for the server, plus the sample's index"),
    concurrency: defaulted("N", "8", "requests under way at the same time"),
    "per-minute": text("N", "at most so many requests a minute"),
    "max-retries": defaulted("N", "5", "of one request; 0 for none"),
    "back-off": defaulted("SECONDS", "1", "before the first retry; it doubles, with jitter"),
    "connect-timeout": defaulted("SECONDS", "10", "to connect"),
    "idle-timeout": defaulted("SECONDS", "300", "of silence"),
    timeout: defaulted("SECONDS", "900", "of one request as a whole"),
    "no-prompt-check": {
      type: "boolean",
      description: "do not compare prompts with the server's count of tokens",
    },
    out: text("DIR", "where everything is written; default runs/ask-BENCH-MODEL"),
    seed: seedOption,
    ...sandboxOptions,
  },
  examples: [
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench cruxeval --arm function --arm traced --traces data/cruxeval-traces/traces.jsonl --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench s5 --set commands='[8, 16]' --protocol ollama --base-url http://localhost:11434 --model NAME",
    "ask --bench reveals --data reveals.jsonl --protocol completion --base-url http://127.0.0.1:8000/v1 --model NAME",
    "ask --bench parity --endpoint scripted:answers.jsonl",
  ],
  notes:
    "Writes DIR/answers.jsonl as answers come, then samples.jsonl, results.json and report.html.\n" +
    "The same command goes on where it was stopped: no answer that was kept is asked for again.\n" +
    "Exit codes: 1 some samples have no answer, 5 the endpoint is unavailable, 6 no sandbox to run answers in.",

  async run({ values, json, print, say, signal }) {
    const bench = benchNamed(
      values.bench ?? fail("ask", "--bench NAME", "none", `There is: ${Object.keys(benches).join(", ")}`),
    );
    const params = parseWith(bench.params, applySettings({}, values.set), bench.name);
    const style = choiceFlag("--style", values.style, styles);
    const traced = await readTraces(values.traces);
    const data = await readData(bench, values.data);
    const told = values["max-tokens"];
    const maximumTokens = told === undefined ? undefined : integerFlag("--max-tokens", told, 1);
    const input = {
      arms: chosen("--arm", values.arm, bench.arms),
      predict: chosen("--predict", values.predict.length > 0 ? values.predict : ["output"], bench.predict),
      style,
      scoring: choiceFlag("--scoring", values.scoring, ["strict", "upstream"]),
      seed: integerFlag("--seed", values.seed),
      rows: data !== undefined && "rows" in data ? data.rows : [],
      ...(data !== undefined && "reveals" in data && { reveals: data.reveals }),
      maximumTokens,
      traces: traced === undefined ? null : new Map(traced.rows.map(({ id, trace }) => [id, trace])),
    };
    if (input.arms.includes("traced") && traced === undefined)
      fail("ask", "--traces FILE for the traced arm", "none", `Make it: statelab data trace ${bench.name}`);
    const asking = await openEndpoint(values);
    const sandbox = await openSandbox(sandboxFlags(values), signal);
    try {
      const end = await runAsk({
        ...{ bench, params, input, sandbox, signal },
        progress: progressOn(process.stderr),
        folder: values.out ?? join("runs", slug(`ask-${bench.name}-${asking.model}`)),
        ...asking,
        samples: integerFlag("--samples", values.samples, 1),
        parameters: {
          temperature: numberFlag("--temperature", values.temperature, 0),
          maximumTokens:
            maximumTokens ??
            longestOf(input.reveals) ??
            bench.replyTokens?.(params) ??
            (style === "cot" ? 2000 : 300),
          stop: bench.stop,
          contextTokens: values.context === undefined ? null : integerFlag("--context", values.context, 1),
          seed:
            values["server-seed"] === undefined ? null : integerFlag("--server-seed", values["server-seed"]),
        },
        checksums: { data: data?.checksum ?? null, traces: traced?.checksum ?? null },
        atMost: integerFlag("--concurrency", values.concurrency, 1),
        perMinute:
          values["per-minute"] === undefined
            ? Number.POSITIVE_INFINITY
            : integerFlag("--per-minute", values["per-minute"], 1),
        maximumRetries: integerFlag("--max-retries", values["max-retries"], 0),
        backOffUnit: numberFlag("--back-off", values["back-off"], 0),
      });
      return report(end, json, print, say);
    } catch (error) {
      if (signal.aborted) say("statelab: stopped; every answer so far is kept, the same command goes on");
      throw error;
    } finally {
      await sandbox.close();
      await asking.connection?.close();
    }
  },
});

async function readData({ file }: Bench, named: string | undefined) {
  if (file === undefined) return undefined;
  if (file === "reveals") {
    const path = named ?? fail("ask", "--data FILE", "none", "Make it: statelab evaluate RUN --reveals FILE");
    const { rows, checksum } = await readJsonLines(path, RevealRecord);
    return { reveals: rows, checksum };
  }
  const benchmark = benchmarks[file];
  const path = dataPath(named, `${file}/${benchmark.file}`);
  return readRows(path, benchmark);
}

function longestOf(rows: readonly RevealRecord[] | undefined): number | undefined {
  return rows?.reduce((longest, { tokens }) => Math.max(longest, tokens), 1);
}

async function readTraces(path: string | undefined) {
  return path === undefined ? undefined : readJsonLines(path, TracedRow);
}

/** The words of a flag that may be repeated, each one of those that the bench has; its first by default. */
function chosen<const T extends string>(flag: string, given: readonly string[], known: readonly T[]): T[] {
  const words = given.flatMap((each) => each.split(","));
  return words.length === 0
    ? [known[0]]
    : [...new Set(words.map((word) => choiceFlag(flag, word.trim(), known)))];
}

const slug = (name: string) => name.replaceAll(/[^\w.-]+/g, "-");

function report(
  { tally, results, words }: AskEnd,
  json: boolean,
  print: (text: string) => void,
  say: (text: string) => void,
): number {
  if (json) print(JSON.stringify({ asked: tally, results: results ?? null }));
  else if (results !== undefined) print(asTable(results));
  say(`statelab: ${summaryOf(tally)}`);
  for (const [kind, text] of Object.entries(words)) say(`statelab: ${kind}: ${text}`);
  const left = Object.keys(tally.left);
  if (left.length === 0) return exitCodes.ok;
  say("statelab: samples without an answer are in no figure; the same command asks for them again");
  return left.some((kind) => unavailable.has(kind)) ? exitCodes.endpoint : exitCodes.finishedWithFailures;
}

/** Trouble of the endpoint, not of one question. */
const unavailable = new Set([
  ...["unreachable", "connect-timeout", "idle-timeout", "total-timeout", "rate-limited", "server-error"],
  ...["redirected", "unauthorized", "not-found", "not-json"],
]);

function asTable({ arms: rows }: AskResults): string {
  const percent = (share: number | null) => (share === null ? "\u2013" : (100 * share).toFixed(1));
  const ks = rows[0]?.passAt.map(({ k }) => k) ?? [];
  return textTable({
    columns: ["arm", "predict", "programs", "answers", ...ks.map((k) => `pass@${k} %`), "95 %", "unreadable"],
    rows: rows.map(({ arm, predict, programs, passAt, unreadable, correct, wrong }) => [
      ...[arm, predict, programs, correct + wrong + unreadable],
      ...passAt.map(({ value }) => percent(value)),
      passAt[0]?.interval?.map(percent).join(" to ") ?? "\u2013",
      unreadable,
    ]),
  });
}
