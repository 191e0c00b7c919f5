/**
 * @file Folders of one kind below a folder, by their names, and files of them that are read again only when they change. What is asked
 * for is looked up among the folders that there are: no path of a request is ever joined to the folder's.
 */

import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { LabError } from "../../core/error.ts";
import { checkFolder } from "../../storage/index.ts";

/** Folders are looked for so deep. */
const DEPTH = 4;
/** Of a list at once: more make a browser slow. */
export const MOST_LINES = 200;
/** Files that are kept. */
const MOST_FILES = 4;

type IsOne = (folder: string) => boolean;

/** The folder itself, or those in it; sorted. */
async function foldersBelow(folder: string, isOne: IsOne, depth = DEPTH): Promise<string[]> {
  if (isOne(folder)) return [folder];
  if (depth === 0 || !existsSync(folder)) return [];
  const inner = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const below = await Promise.all(
    inner.map(({ name }) => foldersBelow(join(folder, name), isOne, depth - 1)),
  );
  return below.flat().sort();
}

/** The path below the folder; "." is the folder itself. */
const nameOf = (folder: string, place: string) => relative(folder, place) || ".";

/** A line for each; of one that cannot be read, why. */
export async function linesBelow<Line extends object>(
  folder: string,
  isOne: IsOne,
  lineOf: (place: string) => Line | Promise<Line>,
): Promise<({ readonly name: string } & (Line | { readonly problem: string }))[]> {
  return Promise.all(
    (await foldersBelow(folder, isOne)).map(async (place) => {
      const name = nameOf(folder, place);
      try {
        checkFolder(place);
        return { name, ...(await lineOf(place)) };
      } catch (error) {
        if (error instanceof LabError) return { name, problem: error.message };
        throw error;
      }
    }),
  );
}

/** undefined where there is none of that name. Errors: LabError where its files lead out of it. */
export async function folderNamed(folder: string, name: string, isOne: IsOne): Promise<string | undefined> {
  const found = (await foldersBelow(folder, isOne)).find((place) => nameOf(folder, place) === name);
  if (found !== undefined) checkFolder(found);
  return found;
}

/** Reads a file by `read`, and again when its number, size or time has changed. */
export function keptFiles<T>(read: (path: string) => T | Promise<T>): (path: string) => Promise<T> {
  const kept = new Map<string, { readonly stamp: string; readonly content: T }>();
  return async (path) => {
    const { ino, size, mtimeMs } = statSync(path);
    const stamp = `${ino} ${size} ${mtimeMs}`;
    const before = kept.get(path);
    if (before?.stamp === stamp) return before.content;
    const content = await read(path);
    kept.delete(path);
    kept.set(path, { stamp, content });
    for (const oldest of [...kept.keys()].slice(0, -MOST_FILES)) kept.delete(oldest);
    return content;
  };
}
