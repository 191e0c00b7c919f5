/**
 * @file Replay of an evaluation: recomputes every sample and result from the log of answers, without requests.
 *
 * The log's hash chain finds changed answers (log.ts); the replay finds samples and results that do not follow from the answers.
 * The log has no failed requests, so their reasons are not compared.
 */

import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail } from "../../core/error.ts";
import { type Endpoint, trouble } from "../../eval/endpoints/endpoint.ts";
import { AskResults } from "../../schemas/eval.ts";
import { checkFolder, readRecord } from "../../storage/index.ts";
import { checkOrder, chosenBench, type EvalRequest, evaluateBenchmark, folderOf } from "./eval.ts";
import { sealPath } from "./log.ts";

const silent: Endpoint = async () => trouble("unscripted", "a replay sends no requests");

const hint = "Give the options of the evaluation; if they are the same, a file was changed";

/** @throws LabError (corrupt) naming the first line, or the number, that does not follow from the answers. */
export async function replayEval(order: EvalRequest) {
  const { config } = order;
  await checkOrder(order); // mistakes in the order are told before the folder is looked for
  const bench = order.bench ?? (await chosenBench(config.bench, config.task));
  const folder = config.folder ?? folderOf(bench, config.models[0]);
  checkFolder(folder);
  const path = (name: string) => join(folder, name);
  for (const name of ["answers.jsonl", "samples.jsonl", "results.json"])
    if (!existsSync(path(name))) fail(path(name), "a file of a finished evaluation", "no such file");
  const again = mkdtempSync(join(tmpdir(), "statelab-replay-"));
  try {
    copyFileSync(path("answers.jsonl"), join(again, "answers.jsonl"));
    const seal = sealPath("answers.jsonl");
    if (existsSync(path(seal))) copyFileSync(path(seal), join(again, seal));
    const { results } = await evaluateBenchmark({
      ...order,
      config: { ...config, folder: again, budget: undefined },
      endpoint: silent,
    });
    if (results === undefined) return fail(folder, "answers to these questions", "none", hint, "corrupt");
    const samples = sameLines(path("samples.jsonl"), join(again, "samples.jsonl"));
    sameNumbers(await readRecord(path("results.json"), AskResults, hint), results, path("results.json"));
    return { folder, samples, answers: readFileSync(path("answers.jsonl"), "utf8").split("\n").length - 1 };
  } finally {
    rmSync(again, { recursive: true });
  }
}

function sameLines(there: string, again: string): number {
  const [said, computed] = [there, again].map((path) => readFileSync(path, "utf8").split("\n"));
  const at = computed.findIndex((line, i) => line !== said[i]);
  const first = at === -1 && said.length > computed.length ? computed.length - 1 : at;
  if (first !== -1)
    fail(
      `${there}, line ${first + 1}`,
      computed[first] || "no more lines",
      said[first] ?? "none",
      hint,
      "corrupt",
    );
  return computed.length - 1;
}

function sameNumbers(said: AskResults, computed: AskResults, at: string): void {
  const known = new Set(said.arms.flatMap(({ passAt }) => passAt.map(({ k }) => k)));
  const [there, again] = [comparable(said, known), comparable(computed, known)];
  for (const key of Object.keys(again) as (keyof typeof again)[])
    if (!isDeepStrictEqual(there[key], again[key]))
      fail(at, `${key} ${JSON.stringify(again[key])}`, there[key], hint, "corrupt");
}

/** Lost and not asked are both missing. Of two to four samples an earlier version has no pass@k for all of them. */
function comparable(results: AskResults, known: ReadonlySet<number>) {
  const { left: _, denominator: __, ...rest } = JSON.parse(JSON.stringify(results)) as AskResults; // as a file has it
  const compared = ({ k }: { readonly k: number }) => k !== rest.samples || known.has(k);
  const arms = rest.arms.map(({ unanswered, notAsked, passAt, excluding, ...arm }) => ({
    ...arm,
    passAt: passAt.filter(compared),
    excluding: excluding && { ...excluding, passAt: excluding.passAt.filter(compared) },
    missing: unanswered + notAsked,
  }));
  return { ...rest, arms };
}
