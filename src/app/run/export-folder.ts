/** @file A run's newest good checkpoint, or one that is named, as files that others read: what `export` does. */

import { exportRun } from "./export.ts";
import { openTrained } from "./open.ts";

export interface ExportRequest {
  readonly folder: string;
  /** Where the files go; into the run's folder where it is undefined. */
  readonly out?: string | undefined;
  /** Of which checkpoint; of the newest good one where it is undefined. */
  readonly step?: number | "best" | undefined;
}

export interface ExportedFolder {
  /** Steps that the weights were trained for. */
  readonly step: number;
  readonly files: readonly string[];
  /** What is to be told of the run, as `openTrained` has it. */
  readonly remarks: readonly string[];
}

/** Exports a run, finished or not, also one that is still being trained. Throws LabErrors as `openTrained`. */
export async function exportFolder({ folder, out, step }: ExportRequest): Promise<ExportedFolder> {
  const run = await openTrained(folder, { step });
  const files = await exportRun(run, out ?? folder);
  return { step: run.step, files, remarks: run.remarks };
}
