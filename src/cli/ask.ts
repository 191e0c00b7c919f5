/** @file statelab ask: asks a language model what programs do, and says how often and where it is right. */

import { askBench } from "../app/llm/eval.ts";
import { type AskedSeveral, askSeveral } from "../app/llm/multi-model.ts";
import { type AskReplay, replayAsking } from "../app/llm/replay.ts";
import { type AskEnd, summaryOf } from "../app/llm/run.ts";
import { exitCodes, fail } from "../core/error.ts";
import { unavailable } from "../eval/endpoints/endpoint.ts";
import { askTable } from "../report/ask-table.ts";
import { askOptions, orderOf } from "./ask-order.ts";
import { defineCommand } from "./command.ts";
import { askedText } from "./compare.ts";
import { engineOptions, shareOption, standOf } from "./executor-flags.ts";
import { progressOn } from "./progress.ts";

export const command = defineCommand({
  name: "ask",
  summary: "ask a language model what programs do",
  usage:
    "ask --bench NAME --base-url URL --model NAME ... [--arm ARM ...] [--predict output|input ...] [--out DIR]",
  locks: true,
  options: {
    ...askOptions,
    replay: {
      type: "boolean",
      description:
        "ask nothing: compute every sample and number again from the answers, and name what differs",
    },
    ...shareOption("500", "answers"),
    ...engineOptions,
  },
  examples: [
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench cruxeval --arm function --arm traced --traces data/cruxeval-traces/traces.jsonl --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench s5 --set commands='[8, 16]' --protocol ollama --base-url http://localhost:11434 --model NAME",
    "ask --bench reveals --data reveals.jsonl --protocol completion --base-url http://127.0.0.1:8000/v1 --model NAME",
    "ask --bench parity --endpoint scripted:answers.jsonl",
    "ask --bench functions --data mine.parquet --columns code=source,input=args,output=result --base-url URL --model NAME",
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model ONE --model ANOTHER --out runs/two",
    "ask --bench cruxeval --base-url http://head:8000/v1 --model NAME --on redis://head:6379 --at-most 4 --per-minute 600",
    "ask --task ./mine.ts --set commands=8 --base-url http://localhost:8000/v1 --model NAME",
  ],
  notes:
    "Writes DIR/answers.jsonl as answers come, then samples.jsonl, results.json and report.html.\n" +
    "The same command goes on where it was stopped: no answer that was kept is asked for again.\n" +
    "Each line of answers.jsonl holds the hash of the one before; a changed byte is named, and --replay computes the rest again (3).\n" +
    "Exit codes: 1 some samples have no answer, 5 the endpoint is unavailable, 6 no sandbox to run answers in.",

  async run({ values, json, print, say, signal }) {
    const progress = progressOn(process.stderr);
    const { order, models } = await orderOf(values, { signal, progress });
    const folder = values.out ?? "the asking";
    if (values.replay && values.on !== undefined) fail("--replay", "this machine, without --on", values.on);
    const stand = standOf("ask", values, { folder, unit: "shares", say, signal });
    if (stand !== undefined) {
      const { askOnEngine } = await import("./ask-executor.ts");
      const { share } = values;
      const end = (ended: AskEnd) => report(ended, json, print, say);
      return askOnEngine({ order, models, values, share, stand, json, print, say, report: end });
    }
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
