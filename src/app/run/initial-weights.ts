/**
 * @file What a training begins with and what it leaves alone: the weights of a finished run (`teach.from`), and the SHA-256 of
 * those that are not trained (`teach.train: initial-state`), by which anybody can see that they stayed as they were.
 *
 *     sha256 of   path \0 little-endian float32 ...   for each such tensor, by its path in the order of the alphabet
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fail } from "../../core/error.ts";
import { shellWord } from "../../core/shell-word.ts";
import { describeModel } from "../../models/index.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { latestCheckpoint, runFiles } from "../../storage/index.ts";
import { toHuggingFace } from "../../tasks/tokenizer.ts";
import type { Setup } from "../../train/setup.ts";
import { configOf, firstDifference } from "./saved-config.ts";

type Weights = Readonly<Record<string, Float32Array>>;

/**
 * The newest weights of the run that `teach.from` names; undefined where none is named. Of that run nothing is executed. Errors:
 * LabError for a run that is not finished, whose model is another, or whose words are others.
 */
export async function baseOf(config: RunConfig, { model, data }: Setup): Promise<Weights | undefined> {
  const { from, train } = config.teach ?? {};
  if (from === undefined) {
    if (train === "initial-state")
      fail("teach.from", "the folder of the run whose weights stay as they are", "none");
    return undefined;
  }
  const ours: Record<string, unknown> = { ...describeModel(model), name: config.model.name };
  const theirs = (await configOf(from)).model;
  if (theirs.initialState === undefined) delete ours.initialState; // it may be what is trained now
  const different = firstDifference(theirs, ours, "model");
  if (different !== undefined)
    fail(
      `teach.from, ${from}`,
      `${different.key} ${JSON.stringify(different.got) ?? "absent"}`,
      different.wanted ?? "nothing",
    );
  const tokenizer = await readFile(join(from, runFiles.tokenizer), "utf8").catch(() =>
    fail("teach.from", "the folder of a finished run", from, `Finish it: statelab resume ${shellWord(from)}`),
  );
  if (!isDeepStrictEqual(JSON.parse(tokenizer), JSON.parse(JSON.stringify(toHuggingFace(data.tokenizer)))))
    fail("teach.from", "a run on the same words", from, "Its task, or its tokenizer, has others");
  const checkpoint = (await latestCheckpoint(from)) ?? fail("teach.from", "a run with a checkpoint", from);
  return Object.fromEntries(
    Object.entries(checkpoint.model).map(([path, tensor]) => [path, tensor.data as Float32Array]), // all weights are
  );
}

/** Of the tensors at some paths, in lower-case hexadecimal digits. */
export function weightsHash(weights: Weights, paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths.toSorted()) {
    const { buffer, byteOffset, byteLength } = weights[path];
    hash.update(`${path}\0`).update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest("hex");
}

export interface Frozen {
  /** How many weights are not trained, and how many are. */
  readonly numbers: number;
  readonly trained: number;
  readonly sha256: string;
}

/** What a training leaves alone; undefined where that is nothing. */
export function frozenOf(parameters: Weights, paths: readonly string[]): Frozen | undefined {
  if (paths.length === 0) return undefined;
  const count = (of: readonly string[]) => of.reduce((sum, path) => sum + parameters[path].length, 0);
  const numbers = count(paths);
  return {
    numbers,
    trained: count(Object.keys(parameters)) - numbers,
    sha256: weightsHash(parameters, paths),
  };
}
