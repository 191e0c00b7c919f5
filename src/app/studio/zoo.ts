/** @file Cells of the zoo below one folder, as `statelab zoo` leaves them in DIR/zoo/cells.json. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ZooCell, ZooCells } from "../../schemas/zoo.ts";
import { experimentFiles, readRecord } from "../../storage/index.ts";
import { linesBelow } from "./folders.ts";

const cellsAt = (folder: string) => join(folder, experimentFiles.cells);

/** Folders that cannot be read have no cells. */
export async function listCells(folder: string): Promise<ZooCell[]> {
  const lines = await linesBelow(
    folder,
    (place) => existsSync(cellsAt(place)),
    (place) => readRecord(cellsAt(place), ZooCells, "It is written by statelab zoo"),
  );
  return lines.flatMap((line) => ("cells" in line ? line.cells : []));
}
