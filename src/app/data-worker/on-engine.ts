/** @file Several makers of blocks for one run, as tasks of an engine: `RUN/stream/feeders/0`, `1`, ... */

import { join, relative } from "node:path";
import { type Piece, type PieceState, type Standing, standBy } from "../../executors/supervise.ts";
import { makeFolder, runFiles } from "../../storage/index.ts";

/** `count` of them, in folders below `folder`. @param home where the submissions are. */
export function feederPieces(
  run: string,
  { home, folder, count }: { readonly home: string; readonly folder: string; readonly count: number },
): Piece[] {
  return Array.from({ length: count }, (_, i) => ({
    folder: join(folder, String(i)),
    work: { kind: "feed", run: relative(home, run) },
  }));
}

export async function feedOn(
  run: string,
  { feeders, ...standing }: Standing & { readonly feeders: number },
): Promise<PieceState[]> {
  const home = join(run, runFiles.stream);
  await makeFolder(home);
  const pieces = feederPieces(run, { home, folder: join(home, "feeders"), count: feeders });
  return standBy(pieces, { ...standing, home, unit: "feeders" });
}
