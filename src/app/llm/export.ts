/** @file An asking that is there, written in the files of another tool. */

import { join } from "node:path";
import type { Exported } from "../../eval/exports/export.ts";
import { type AskExportName, askExports } from "../../eval/exports/index.ts";
import { AskResults, SampleRecord } from "../../schemas/eval.ts";
import { checkFolder, makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { readJson, readJsonLines } from "../data/files.ts";

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
  await makeFolder(out);
  for (const { name, text } of files) await writeFileAtomic(join(out, name), text);
  return files.map(({ name }) => join(out, name));
}
