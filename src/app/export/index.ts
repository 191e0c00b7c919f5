/**
 * @file Every form in which a run leaves the lab, by name: the files of each. To add one: write its function, one line here and in
 * docs/reference/file-formats.md.
 */

import { dirname, join, relative } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { eventFile, eventFileName } from "../../schemas/formats/tensorboard.ts";
import { makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { runsBelow } from "../compare/load.ts";
import type { ExportedFolder } from "../run/export.ts";
import { type Chosen, isAverage, openTrainedRun } from "../run/open.ts";
import { readResults } from "../run/results.ts";
import { activationFiles, type Recorded } from "./activations.ts";
import { csvFiles, type History, historyPoints, readHistory } from "./history.ts";
import { huggingFaceFiles } from "./hugging-face.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Of what runs recorded. */
const ofHistory = {
  csv: csvFiles,
  tensorboard: tensorboardFiles,
} as const satisfies Record<string, (histories: readonly History[]) => Files>;

const ofWeights = ["hf", "activations"] as const;
export const exportForms = [...Object.keys(ofHistory), ...ofWeights] as (
  | keyof typeof ofHistory
  | (typeof ofWeights)[number]
)[]; // its own keys
type ExportForm = (typeof exportForms)[number];

interface ExportToRequest {
  readonly folder: string;
  readonly form: ExportForm;
  /** Where the files go; into `export/FORM` of the run where it is undefined. */
  readonly out?: string | undefined;
  /** Of weights: of which checkpoint. */
  readonly step?: Chosen | undefined;
  /** Of activations. */
  readonly recorded?: Partial<Recorded>;
}

/** hf and activations take a run, the others a folder of runs as well. Throws LabErrors as `openTrained`, and for a model that the form has no name for; nothing is written then. */
export async function exportTo({
  folder,
  form,
  out,
  step,
  recorded,
}: ExportToRequest): Promise<ExportedFolder> {
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
  const found = await runsBelow(folder, 3);
  if (found.length === 0 || found[0] === folder) {
    const history = await readHistory(folder, ".");
    const files = await write(to, ofHistory[form]([history]));
    return { step: lastStep(history), files, remarks: [] };
  }
  const remarks: string[] = [];
  const histories: History[] = [];
  for (const each of found) {
    try {
      histories.push(await readHistory(each, relative(folder, each)));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      remarks.push(`left out ${error.message}`);
    }
  }
  if (histories.length === 0) fail(folder, "a run with recorded steps or tests", `${found.length} without`);
  return {
    step: Math.max(...histories.map(lastStep)),
    files: await write(to, ofHistory[form](histories)),
    remarks,
  };
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

function tensorboardFiles(histories: readonly History[]): Files {
  const files = histories.map((history) => {
    const { started, run } = history;
    const events = historyPoints(history).map(({ step, after, values }) => ({
      step,
      time: started + after,
      scalars: values,
    }));
    return [join(run, eventFileName(started)), eventFile(started, events)];
  });
  return Object.fromEntries(files);
}
