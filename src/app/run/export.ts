/**
 * @file Writes the files of a trained model (exported-files.ts) to a folder: at the end of a training, and by `export` for any
 * checkpoint.
 */

import { join } from "node:path";
import { type Lock, makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { type Exported, exportedFiles } from "./exported-files.ts";

export type { Exported } from "./exported-files.ts";

import { type Chosen, openTrainedRun } from "./open.ts";

/** Writes the files and returns their paths. `lock` is that of the folder, if it is a run. */
export async function exportRun(exported: Exported, folder: string, lock?: Lock): Promise<string[]> {
  const files = exportedFiles(exported);
  await makeFolder(folder);
  const paths: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await writeFileAtomic(path, content, lock);
    paths.push(path);
  }
  return paths;
}

interface ExportRequest {
  readonly folder: string;
  /** Output folder; by default the folder of the run. */
  readonly out?: string | undefined;
  /** By default the newest good checkpoint. */
  readonly step?: Chosen | undefined;
  readonly length?: Exported["length"];
}

export interface ExportedFolder {
  /** Training steps of the weights. */
  readonly step: number;
  readonly files: readonly string[];
  /** Warnings of `openTrained`. */
  readonly remarks: readonly string[];
}

/** Exports a checkpoint of a run, even while it trains. Errors: LabError as `openTrained`. */
export async function exportFolder({ folder, out, step, length }: ExportRequest): Promise<ExportedFolder> {
  const run = await openTrainedRun(folder, { step });
  const files = await exportRun({ ...run, length }, out ?? folder);
  return { step: run.step, files, remarks: run.remarks };
}
