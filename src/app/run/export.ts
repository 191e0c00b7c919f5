/**
 * @file The files of a trained model (exported-files.ts) in a folder. A training that ends writes them beside its checkpoints;
 * `exportFolder` (export-folder.ts) makes them at any time.
 */

import { join } from "node:path";
import { type Lock, makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { type Exported, exportedFiles } from "./exported-files.ts";

export type { Exported } from "./exported-files.ts";

/** Writes them, and returns their paths. A training that ends hands in the lock of its folder. */
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
