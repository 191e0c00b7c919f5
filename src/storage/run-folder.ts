/**
 * @file Run folders: all output of a run, in formats that other tools read.
 *
 *     runs/NAME/config.json     all parameters, seed, versions
 *               metrics.jsonl   one record a line while it trains
 *               checkpoints/    see checkpoint.ts
 *               run.lock        names the writing process, if any
 */

import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fail, Words } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { jsonText } from "../core/json.ts";
import { writeFileAtomic } from "./atomic.ts";
import { removeLeftovers } from "./checkpoint.ts";
import { checkFolder, lockFolder } from "./foreign-folder.ts";
import { isAttempt, type Lock } from "./lock.ts";
import { type Log, type OpenLogOptions, openLog } from "./log.ts";
import { readInput } from "./record.ts";
import { runFiles } from "./run-files.ts";

/** A run opened for writing, until `close`. */
export interface OpenRun {
  readonly folder: string;
  readonly lock: Lock;
  readonly metrics: Log;
  close(): void;
}

/** A run whose lock this process has, before its log is opened: no other process changes its folder. */
export interface LockedRun {
  readonly folder: string;
  readonly lock: Lock;
  open(options?: OpenLogOptions): OpenRun;
  release(): void;
}

export interface CreateRunOptions {
  /** Removes the files of an earlier run (only files that runs create). */
  readonly overwrite?: boolean;
  /** Describes the lock owner's work in messages. */
  readonly command?: string;
}

/** Bytes. */
const longestConfig = 2 ** 24;

/** Files of a run, which `overwrite` removes. */
const products: readonly string[] = Object.values(runFiles);

/**
 * Creates the folder of a new run with its config.json, and takes its lock. Throws a LabError of kind "usage" if the folder is not
 * empty and `overwrite` is not set, or contains files of no run; "locked" if it is in use.
 */
export async function createRun(
  folder: string,
  config: unknown,
  { overwrite = false, command }: CreateRunOptions = {},
): Promise<OpenRun> {
  const lock = await lockFolder(folder, runFiles.lock, command);
  try {
    const names = (await readdir(folder)).filter((name) => !name.startsWith(runFiles.lock));
    // Remove temporary files of killed writers.
    const [left, found] = [true, false].map((temporary) =>
      names.filter((name) => /^\..*\.tmp$/.test(name) === temporary),
    );
    if (found.length > 0) {
      const hint = found.includes(runFiles.config)
        ? `Continue it by statelab train --resume ${shellWord(folder)}, replace it by --overwrite, or choose another folder`
        : "Choose another folder";
      const strange = found.filter((name) => !products.includes(name));
      const got = strange.length > 0 ? strange : found.includes(runFiles.config) ? ["a run"] : found;
      if (!overwrite || strange.length > 0)
        fail(folder, "a new or empty folder", got.sort().join(", "), hint);
    }
    for (const name of [...found, ...left]) await rm(join(folder, name), { recursive: true });
    await writeConfig(folder, config, lock);
    return opened(folder, lock, {});
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Takes the lock of an existing run and removes unpublished files of the previous owner. Read the run's state after this, not before.
 * Throws LabErrors as `readConfig` and `takeLock`.
 */
export async function lockRun(folder: string, { command }: { command?: string } = {}): Promise<LockedRun> {
  await readConfig(folder);
  const lock = await lockFolder(folder, runFiles.lock, command);
  try {
    await removeLeftovers(join(folder, runFiles.checkpoints));
    for (const name of (await readdir(folder)).filter(isAttempt))
      await rm(join(folder, name), { force: true });
  } catch (error) {
    lock.release();
    throw error;
  }
  return { folder, lock, open: (options = {}) => opened(folder, lock, options), release: lock.release };
}

/** Locks an existing run and opens its metrics. Throws LabErrors as `holdRun`. */
export async function openRun(
  folder: string,
  options: OpenLogOptions & { command?: string } = {},
): Promise<OpenRun> {
  const held = await lockRun(folder, options);
  try {
    return held.open(options);
  } catch (error) {
    held.release();
    throw error;
  }
}

/** Replaces the config.json of a run; the caller has its lock. */
export function writeConfig(folder: string, config: unknown, lock?: Lock): Promise<void> {
  const path = join(folder, runFiles.config);
  return writeFileAtomic(path, `${jsonText(config, path, 2)}\n`, lock);
}

/**
 * The config.json of a run, as unvalidated JSON. Also checks the folder (foreign-folder.ts), so that it can be used from then on.
 * Throws a LabError if the file is missing or no JSON, or if a link leads outside of the folder.
 */
export async function readConfig(folder: string): Promise<unknown> {
  checkFolder(folder);
  const file = join(folder, runFiles.config);
  if (!existsSync(file)) {
    const found = existsSync(folder) ? "a folder or file without one" : "a path that does not exist";
    fail(folder, "the folder of a run (with a config.json)", new Words(found));
  }
  const text = readInput(file, { regular: true, largestBytes: longestConfig }).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return fail(file, "JSON", text.slice(0, 80), "The file is damaged", "corrupt");
  }
}

function opened(folder: string, lock: Lock, options: OpenLogOptions): OpenRun {
  const metrics = openLog(join(folder, runFiles.metrics), { ...options, lock });
  return {
    folder,
    lock,
    metrics,
    close() {
      metrics.close();
      lock.release();
    },
  };
}
