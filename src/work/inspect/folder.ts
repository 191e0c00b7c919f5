/** @file A run's folder is analysed: what was found is written as a page, figures and analysis.json, and read again. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AnalysisDocument, parseAnalysis } from "../../analysis/document.ts";
import { applySettings } from "../../records/config.ts";
import { analysisReport } from "../../report/analysis.ts";
import { makeFolder, writeFileAtomic } from "../../store/index.ts";
import { openTrained } from "../run/trained.ts";
import { type AnalyseOptions, analyseRun } from "./analyse.ts";

export interface AnalyseFolderOptions extends Omit<AnalyseOptions, "folder" | "change"> {
  /** Over the parameters of the task, as `commands=48`; without any, the last test of the configuration. */
  readonly settings: readonly string[];
  /** Where it is written; the folder's `analysis` where it is not said. */
  readonly out?: string | undefined;
  /** What is to be told of the run. */
  readonly onRemark?: (sentence: string) => void;
}

export async function analyseFolder(
  folder: string,
  { settings, out = analysisFolder(folder), onRemark, ...options }: AnalyseFolderOptions,
): Promise<{ readonly document: AnalysisDocument; readonly page: string }> {
  const run = await openTrained(folder);
  for (const sentence of run.remarks) onRemark?.(sentence);
  const change =
    settings.length > 0
      ? (applySettings({}, settings) as Record<string, unknown>) // settings over an object make one
      : (run.config.evaluate.tests.at(-1) ?? {});
  const document = await analyseRun(run, { ...options, folder, change });
  const { page, figures } = analysisReport(document);
  await makeFolder(join(out, "figures"));
  for (const [name, figure] of Object.entries(figures)) {
    await writeFileAtomic(join(out, "figures", name), figure);
  }
  const file = join(out, "analysis.json");
  const text = `${JSON.stringify(document, null, 2)}\n`;
  parseAnalysis(text, file); // a number that is not finite stands there as null, which only a horizon may be
  await writeFileAtomic(file, text);
  await writeFileAtomic(join(out, "report.html"), page);
  return { document, page: join(out, "report.html") };
}

/** What was written by `analyseFolder` into `out`. */
export async function readAnalysis(out: string): Promise<AnalysisDocument> {
  const file = join(out, "analysis.json");
  return parseAnalysis(await readFile(file, "utf8"), file);
}

export const analysisFolder = (run: string) => join(run, "analysis");
