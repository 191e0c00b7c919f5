/** @file Scores existing answers: the work of `statelab llm score`. */

import { dirname, join } from "node:path";
import { readGenerations } from "../../eval/generations.ts";
import { type ScoreOptions, scoreCruxeval } from "../../eval/scoring/score-cruxeval.ts";
import { benchmarks } from "../../python/benchmarks/index.ts";
import { CruxevalRow, type Score } from "../../schemas/samples.ts";
import { readInput } from "../../storage/index.ts";
import { dataPath, readJsonLines } from "../data/files.ts";
import { openSandbox, type SandboxHost } from "./sandbox.ts";

interface ScoreFileOptions extends Pick<ScoreOptions, "predict" | "scoring" | "seed" | "onProgress"> {
  /** cruxeval.jsonl; default the imported one, or one in the folder of the answers. */
  readonly data?: string | undefined;
  readonly host: SandboxHost;
  readonly signal: AbortSignal;
  /** Called before scoring if the scores are not comparable with published ones. */
  readonly onWarning?: (sentence: string) => void;
}

/** Scores a file of answers, in any layout of eval/generations.ts. */
export async function scoreFile(file: string, options: ScoreFileOptions): Promise<Score> {
  const { predict, scoring, seed, onProgress, signal } = options;
  const beside = [join(dirname(file), "cruxeval.jsonl"), join(dirname(file), "..", "cruxeval.jsonl")];
  const data = await readJsonLines(dataPath(options.data, "cruxeval/cruxeval.jsonl", beside), CruxevalRow);
  const ids = data.rows.map(({ id }) => id);
  const { generations, only } = readGenerations(readInput(file).toString("utf8"), { ids, predict, at: file });
  const rows = only === null ? data.rows : data.rows.filter(({ id }) => only.has(id));
  if (rows.length < data.rows.length)
    options.onWarning?.(
      `${rows.length} of ${data.rows.length} programs are in ${file}; only these are scored`,
    );
  if (data.checksum !== benchmarks.cruxeval.sha256)
    options.onWarning?.(
      `${data.path} is not the published file; do not compare its scores with published ones`,
    );
  const sandbox = await openSandbox(options.host, signal);
  try {
    const { execute, maxParallel } = sandbox;
    const score = await scoreCruxeval({
      ...{ rows, generations, predict, scoring, seed, execute, atMost: maxParallel },
      ...(onProgress && { onProgress }),
    });
    for (const { id, reason } of score.excluded ?? []) options.onWarning?.(`${id} is not scored: ${reason}`);
    return { ...score, python: sandbox.python() };
  } finally {
    await sandbox.close();
  }
}
