/** @file A run's folder is analysed: what was found is written as a page, figures and analysis.json, and read again. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type AnalysisDocument, parseAnalysis } from "../../analysis/document.ts";
import { applySettings } from "../../core/settings.ts";
import { analysisReport } from "../../report/analysis.ts";
import { makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { openTrainedRun } from "../run/open.ts";
import { type AnalyseOptions, analyseRun } from "./analyze.ts";

interface AnalyseFolderOptions extends Omit<AnalyseOptions, "folder" | "change"> {
  /** Over the parameters of the task, as `commands=48`; without any, the last test of the configuration. */
  readonly settings: readonly string[];
  /** Where it is written; the folder's `analysis` where it is not said. */
  readonly out?: string | undefined;
  /** Remarks on the run for the user. */
  readonly onRemark?: (sentence: string) => void;
}

export async function analyseFolder(
  folder: string,
  { settings, out: asked = analysisFolder(folder), onRemark, ...options }: AnalyseFolderOptions,
): Promise<{ readonly document: AnalysisDocument; readonly page: string }> {
  const run = await openTrainedRun(folder);
  for (const sentence of run.remarks) onRemark?.(sentence);
  const change =
    settings.length > 0
      ? (applySettings({}, settings) as Record<string, unknown>) // settings over an object make one
      : (run.config.evaluate.settings.at(-1) ?? {});
  const made = await analyseRun(run, { ...options, folder, change });
  const { out, document } = await besideOthers(asked, made);
  const { page, figures } = analysisReport(document);
  await makeFolder(join(out, "figures"));
  for (const [name, figure] of Object.entries(figures)) {
    await writeFileAtomic(join(out, "figures", name), figure);
  }
  const file = join(out, "analysis.json");
  const text = `${JSON.stringify(document, null, 2)}\n`;
  parseAnalysis(text, file); // null is a number that is not finite; only a horizon may be null
  await writeFileAtomic(file, text);
  await writeFileAtomic(join(out, "report.html"), page);
  return { document, page: join(out, "report.html") };
}

/** Analyses of the same programs are put together; those of others go into a folder of their own, `analysis-2`. */
async function besideOthers(
  asked: string,
  made: AnalysisDocument,
): Promise<{ readonly out: string; readonly document: AnalysisDocument }> {
  for (let n = 1; ; n++) {
    const out = n === 1 ? asked : `${asked}-${n}`;
    if (!existsSync(join(out, "analysis.json"))) return { out, document: made };
    const before = await readAnalysis(out);
    if (!isDeepStrictEqual(aboutOf(before), aboutOf(made))) continue;
    const names = Object.keys(made).filter((name) => made[name as keyof AnalysisDocument] !== undefined);
    const missing = Object.entries({ ...before.missing, ...made.missing }).filter(
      ([name]) => !names.includes(name),
    );
    const command = [...new Set([...before.command.split(" && "), made.command])].join(" && ");
    return { out, document: { ...before, ...made, missing: Object.fromEntries(missing), command } };
  }
}

/** What has to be the same for two analyses to be of the same programs. As JSON has it. */
function aboutOf({ step, model, task, seed, programs, measured }: AnalysisDocument): unknown {
  return JSON.parse(JSON.stringify({ step, model, task, seed, programs, measured }));
}

/** What was written by `analyseFolder` into `out`. */
export async function readAnalysis(out: string): Promise<AnalysisDocument> {
  const file = join(out, "analysis.json");
  return parseAnalysis(await readFile(file, "utf8"), file);
}

const analysisFolder = (run: string) => join(run, "analysis");
