/** @file An evaluation, or the questions of a benchmark, in the files of other tools: the work of `statelab llm export`. */

import { join } from "node:path";
import { fail, Words } from "../../core/error.ts";
import type { Exported } from "../../eval/exports/export.ts";
import { hubFiles } from "../../eval/exports/hub.ts";
import { type AskExportName, askExports } from "../../eval/exports/index.ts";
import { AskResults, SampleRecord } from "../../schemas/eval.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import type { BenchmarkOptions } from "../../schemas/questions.ts";
import { checkFolder, makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { readJson, readJsonLines } from "../data/files.ts";
import { openQuestions } from "./eval.ts";
import { questionId } from "./judge.ts";

/** Reads `results.json` and `samples.jsonl` of a folder. @returns the paths that were written. */
export async function exportEval(
  folder: string,
  {
    as,
    out = folder,
    now,
  }: { readonly as: AskExportName; readonly out?: string | undefined; readonly now: number },
): Promise<readonly string[]> {
  checkFolder(folder);
  const { value: results } = await readJson(join(folder, "results.json"), AskResults);
  const { rows: samples } = await readJsonLines(join(folder, "samples.jsonl"), SampleRecord);
  const files: readonly Exported[] = await askExports[as].files({ results, samples, now });
  return writeFiles(files, out);
}

/** Writes the questions of a benchmark. Those with several turns are left out, since the files have one prompt a row. */
export async function exportQuestions(benchmark: BenchmarkOptions, out: string) {
  const { bench, params, input, parameters } = await openQuestions({ config: EvalConfig.parse(benchmark) });
  const { count, question } = bench.prepare(params, input);
  const all = Array.from({ length: count }, (_, i) => question(i));
  const rows = all.flatMap((each) => {
    const [prompt, more] = [each.next([]), each.next([""])];
    if (prompt === undefined || more !== undefined) return [];
    return [{ id: questionId(each), prompt, target: each.expected, benchmark }];
  });
  if (rows.length === 0) fail("llm export", "questions of one turn", new Words("none"));
  const paths = await writeFiles(hubFiles(bench, rows, parameters), out);
  return { paths, questions: rows.length, left: count - rows.length };
}

async function writeFiles(files: readonly Exported[], out: string): Promise<readonly string[]> {
  await makeFolder(out);
  for (const { name, text } of files) await writeFileAtomic(join(out, name), text);
  return files.map(({ name }) => join(out, name));
}
