/** @file Answers that are there already, scored: the work of `statelab score`. */

import { dirname, join } from "node:path";
import { type ScoreOptions, scoreCruxeval } from "../../eval/score-cruxeval.ts";
import { CruxevalRow, Generations, type Score } from "../../records/samples.ts";
import { benchmarks } from "../../trace/benchmarks/index.ts";
import { dataPath, readJson, readJsonLines } from "../data/files.ts";
import { openSandbox, type SandboxOptions } from "./sandbox.ts";

export interface ScoreFileOptions extends Pick<ScoreOptions, "predict" | "scoring" | "seed" | "onProgress"> {
  /** cruxeval.jsonl; without it the one that was imported, or one beside the answers. */
  readonly data?: string | undefined;
  readonly sandbox: SandboxOptions;
  readonly signal: AbortSignal;
  /** Told before the scores where they are not to be compared with published ones. */
  readonly onWarning?: (sentence: string) => void;
}

/** Scores a file of CRUXEval's layout, `{"sample_0": ["17", ...], ...}`. */
export async function scoreFile(file: string, options: ScoreFileOptions): Promise<Score> {
  const { predict, scoring, seed, onProgress, signal } = options;
  const beside = [join(dirname(file), "cruxeval.jsonl"), join(dirname(file), "..", "cruxeval.jsonl")];
  const data = await readJsonLines(dataPath(options.data, "cruxeval/cruxeval.jsonl", beside), CruxevalRow);
  const { value: generations } = await readJson(file, Generations);
  if (data.checksum !== benchmarks.cruxeval.sha256)
    options.onWarning?.(
      `${data.path} is not the published file; its scores are not to be compared with published ones`,
    );
  const sandbox = await openSandbox(options.sandbox, signal);
  try {
    const { execute, atMost } = sandbox;
    const score = await scoreCruxeval({
      ...{ rows: data.rows, generations, predict, scoring, seed, execute, atMost },
      ...(onProgress && { onProgress }),
    });
    return { ...score, python: sandbox.python() };
  } finally {
    await sandbox.close();
  }
}
