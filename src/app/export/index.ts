/**
 * @file Every form in which a run leaves the lab, by name: the files of each. To add one: write its function, one line here and in
 * docs/reference/file-formats.md.
 */

import { dirname, join, relative } from "node:path";
import { fail, LabError, Words } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { kindTests, type ReportedKind, runsFigures, testsCaption, testsTable } from "../../report/index.ts";
import { csv, type Row } from "../../schemas/formats/csv.ts";
import { eventFile, eventFileName } from "../../schemas/formats/tensorboard.ts";
import { makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { type Comparison, compare, type MeasuredDifference } from "../compare/difference.ts";
import { contenderOf, runsBelow } from "../compare/load.ts";
import { shortNames } from "../compare/names.ts";
import { comparisonRemarks, comparisonTable } from "../compare/table.ts";
import { gatherRuns } from "../report/load-runs.ts";
import { settingsOf } from "../run/event-log.ts";
import type { ExportedFolder } from "../run/export.ts";
import { type Chosen, isAverage, openTrainedRun } from "../run/open.ts";
import { readResults } from "../run/results.ts";
import { activationFiles, type Recorded } from "./activations.ts";
import { type History, historyPoints, historyRows, readHistory } from "./history.ts";
import { huggingFaceFiles } from "./hugging-face.ts";
import { pngOf } from "./png.ts";
import { latex, parquet } from "./tables.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Of what runs recorded. */
const ofHistory = {
  csv: tables("csv", csv),
  parquet: tables("parquet", parquet),
  latex: latexFiles,
  svg: svgFiles,
  png: pngFiles,
  tensorboard: tensorboardFiles,
} as const satisfies Record<string, (recorded: RecordedRuns) => Files | Promise<Files>>;

const ofWeights = ["hf", "activations"] as const;
export const exportForms = [...Object.keys(ofHistory), ...ofWeights] as (
  | keyof typeof ofHistory
  | (typeof ofWeights)[number]
)[]; // its own keys
type ExportForm = (typeof exportForms)[number];

interface RecordedRuns {
  readonly histories: readonly History[];
  readonly kinds: readonly ReportedKind[];
  /** Of each further kind with the first. */
  readonly comparisons: readonly Comparison[];
}

interface ExportToRequest {
  readonly folder: string;
  /** More folders, of tables and figures. */
  readonly others?: readonly string[];
  readonly form: ExportForm;
  /** Where the files go; into `export/FORM` of the run where it is undefined. */
  readonly out?: string | undefined;
  /** Of weights: of which checkpoint. */
  readonly step?: Chosen | undefined;
  /** Of activations. */
  readonly recorded?: Partial<Recorded>;
  /** Of tables and figures: the names of `--name`. */
  readonly names?: readonly string[];
}

/** hf and activations take a run, the others folders of runs as well. Throws LabErrors as `openTrained`, and for a model that the form has no name for; nothing is written then. */
export async function exportTo(request: ExportToRequest): Promise<ExportedFolder> {
  const { folder, others = [], form, out, step, recorded, names } = request;
  const to = out ?? join(folder, "export", form);
  if (form === "hf" || form === "activations") {
    const run = await openTrainedRun(folder, { step });
    const tested = isAverage(step) ? [] : readResults(folder); // of other weights
    const files =
      form === "hf"
        ? huggingFaceFiles(run, tested, folder)
        : await activationFiles(run, { record: ["residual"], programs: 200, settings: [], ...recorded });
    return { step: run.step, files: await write(to, files), remarks: run.remarks };
  }
  const { histories, remarks } = await readHistories([folder, ...others]);
  const runs = histories.map((history) => history.folder);
  const kinds = form === "tensorboard" ? [] : await gatherRuns(runs, undefined, names);
  const comparisons = form === "svg" || form === "png" ? [] : await compareKinds(kinds, remarks);
  const files = await ofHistory[form]({ histories, kinds, comparisons });
  if (Object.keys(files).length === 0)
    fail(
      folder,
      `test results for --to ${form}`,
      new Words("none"),
      `Test it: statelab evaluate ${shellWord(runs[0])}`,
    );
  return { step: Math.max(...histories.map(lastStep)), files: await write(to, files), remarks };
}

/** A run below a folder that has recorded nothing is left out; one that is named is an error. */
async function readHistories(folders: readonly string[]) {
  const below = await Promise.all(
    folders.map(async (folder) => {
      const found = await runsBelow(folder, 3);
      return found.length === 0 ? [folder] : found;
    }),
  );
  const found = [...new Set(below.flat())];
  const runs =
    folders.length > 1 ? shortNames(found) : found.map((each) => relative(folders[0], each) || ".");
  const remarks: string[] = [];
  const histories: History[] = [];
  for (const [i, each] of found.entries()) {
    try {
      histories.push(await readHistory(each, runs[i]));
    } catch (error) {
      if (!(error instanceof LabError) || folders.includes(each)) throw error;
      remarks.push(`left out ${error.message}`);
    }
  }
  if (histories.length === 0)
    fail(folders[0], "a run with recorded steps or tests", `${found.length} without`);
  return { histories, remarks };
}

async function compareKinds(kinds: readonly ReportedKind[], remarks: string[]): Promise<Comparison[]> {
  if (kinds.length < 2) return [];
  try {
    const [baseline, ...others] = await Promise.all(kinds.map(({ name, runs }) => contenderOf(name, runs)));
    return others.flatMap((other) => compare(baseline, other));
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    remarks.push(`not compared: ${error.message}`);
    return [];
  }
}

const lastStep = ({ steps, tested }: History) => steps.at(-1)?.step ?? tested.at(-1)?.step ?? 0;

async function write(folder: string, files: Files): Promise<string[]> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  for (const [i, content] of Object.values(files).entries()) {
    await makeFolder(dirname(paths[i]));
    await writeFileAtomic(paths[i], content);
  }
  return paths;
}

const nonEmpty = <T>(tables: Readonly<Record<string, readonly T[]>>) =>
  Object.entries(tables).filter(([, rows]) => rows.length > 0);

function tables(extension: string, write: (rows: readonly Row[]) => string | Uint8Array) {
  return ({ histories, kinds, comparisons }: RecordedRuns): Files => {
    const summary = kindTests(kinds).map(({ references, interval, ...means }) => ({
      ...{ ...means, low: interval?.[0], high: interval?.[1], ...references },
    }));
    const compared = comparisons.map(({ accuracy, accuracyLast, seeds, ...each }) => ({
      ...{ ...each, seeds: seeds.length, ...differenceCells(accuracy, "") },
      ...differenceCells(accuracyLast, "Last"),
    }));
    const all: Record<string, Row[]> = { ...historyRows(histories), summary, compared };
    return Object.fromEntries(nonEmpty(all).map(([name, rows]) => [`${name}.${extension}`, write(rows)]));
  };
}

function differenceCells(
  { baseline, contender, difference, uncertainty }: MeasuredDifference,
  of: "" | "Last",
): Row {
  const [low, high] = uncertainty.kind === "none" ? [] : uncertainty.interval;
  const cells = { baseline, contender, difference, low, high, intervalOver: uncertainty.kind };
  const named = { baseline: "baselineAccuracy", contender: "contenderAccuracy" } as Record<string, string>;
  return Object.fromEntries(Object.entries(cells).map(([key, cell]) => [`${named[key] ?? key}${of}`, cell]));
}

function latexFiles({ kinds, comparisons }: RecordedRuns): Files {
  const summary = testsTable(kinds);
  return {
    ...(summary.rows.length > 0 && { "summary.tex": latex(summary, [testsCaption]) }),
    ...(comparisons.length > 0 && {
      "compared.tex": latex(comparisonTable(comparisons), comparisonRemarks(comparisons)),
    }),
  };
}

/** Numbered, since names may differ in what a file name cannot have. */
function svgFiles({ kinds }: RecordedRuns): Files {
  const figures = Object.entries(runsFigures(kinds));
  return Object.fromEntries(
    figures.map(([title, svg], i) => [`${i + 1}-${title.replaceAll(/[^\w.=+-]+/g, "-")}.svg`, svg]),
  );
}

async function pngFiles(recorded: RecordedRuns): Promise<Files> {
  const files = Object.entries(svgFiles(recorded)).map(
    async ([name, figure]) => [name.replace(/svg$/, "png"), await pngOf(String(figure))] as const,
  );
  return Object.fromEntries(await Promise.all(files));
}

function tensorboardFiles({ histories }: RecordedRuns): Files {
  const files = histories.map((history) => {
    const { started, run, folder, config } = history;
    const events = historyPoints(history).map(({ step, after, values }) => ({
      step,
      time: started + after,
      scalars: values,
    }));
    return [join(run, eventFileName(started)), eventFile(started, events, settingsOf(folder, config))];
  });
  return Object.fromEntries(files);
}
