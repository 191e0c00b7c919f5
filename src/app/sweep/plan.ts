/**
 * @file Plans a sweep: the folder and configuration of every run, all validated, and the saved state of each. Writes nothing.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { cooperativeTurns, itemsInTurns } from "../../core/rotations.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { latestCheckpoint, runFiles } from "../../storage/index.ts";
import { isFinished, type TrainerState } from "../../train/trainer.ts";
import { combine, parseAxis, type Setting, withChanges } from "../grid.ts";
import { configOf, firstDifference, readConfigFile } from "../run/config.ts";
import { answersToAll } from "../run/evaluate.ts";
import { resolve } from "../run/resolve.ts";
import { readResults, summaryOf, type TestSummary } from "../run/results.ts";

export interface SweepRequest {
  readonly file: string;
  /** Values of --set and --grid. */
  readonly settings: readonly string[];
  readonly over: readonly string[];
  /** Number of seeds, counted from `firstSeed`, by default that of the file. */
  readonly seeds: number;
  readonly firstSeed?: number;
  readonly folder: string;
  readonly overwrite: boolean;
  /** Receives one sentence for each model that lacks keys of the file. */
  readonly say?: ((text: string) => void) | undefined;
}

export interface SweepRun {
  readonly setting: Setting;
  readonly seed: number;
  readonly folder: string;
  readonly config: RunConfig;
  /** Saved steps; 0 for a new run. */
  readonly done: number;
  /** Answers of a finished run, which is not run again. */
  readonly known: readonly TestSummary[] | undefined;
}

/** Most runs of a sweep or trials of a search. */
export const mostRuns = 10_000;

/** Errors: LabError for an invalid setting or a folder with another run, before anything is written. */
export async function planSweep(request: SweepRequest, signal?: AbortSignal): Promise<SweepRun[]> {
  const axes = request.over.map(parseAxis);
  const count = axes.reduce((product, { values }) => product * values.length, request.seeds);
  if (count > mostRuns) fail("sweep", `at most ${mostRuns} runs`, count, "Give fewer values or seeds");
  const runs: SweepRun[] = [];
  for await (const setting of itemsInTurns(combine(axes), cooperativeTurns(signal))) {
    const { config, written } = await checked(setting, request);
    const first = request.firstSeed ?? config.seed;
    for (let seed = first; seed < first + request.seeds; seed++) {
      const folder = join(request.folder, setting.name, `seed-${seed}`);
      const own = { ...config, seed };
      const there = request.overwrite ? nothing : await foundIn(folder, own, { ...written, seed });
      runs.push({ setting, seed, folder, config: own, ...there });
    }
  }
  return runs;
}

/** The configuration of a setting, and the same as config.json will have it. */
const checked = ({ changes }: Setting, { file, settings, say }: SweepRequest) =>
  withChanges(changes, async (changed) => {
    // Runs are parallel, with one thread each unless --set changes it.
    const config = readConfigFile(file, ["threads=1", ...settings, ...changed], {
      task: undefined,
      model: undefined,
      say,
    });
    const { written } = await resolve(config, file);
    return { config, written };
  });

const nothing = { done: 0, known: undefined };

/** The saved state in the folder of a run. Errors: LabError if the folder has another run. */
export async function foundIn(folder: string, config: RunConfig, written: object) {
  if (!existsSync(folder)) return nothing;
  if (!existsSync(join(folder, runFiles.config))) {
    // A run killed before it wrote its configuration leaves only its lock and temporary files.
    const others = readdirSync(folder).filter((name) => !/^run\.lock|^\..*\.tmp$/.test(name));
    if (others.length > 0) {
      fail(folder, "a run of this sweep or nothing", others.sort().join(", "), "Choose another --out");
    }
    return nothing;
  }
  const difference = firstDifference(written, await configOf(folder), "");
  if (difference !== undefined) {
    const { key, wanted, got } = difference;
    fail(
      join(folder, runFiles.config),
      `${key} to be ${JSON.stringify(wanted) ?? "absent"}, as in this sweep`,
      got ?? "nothing",
      "Replace the run with --overwrite, or choose another --out",
    );
  }
  const checkpoint = await latestCheckpoint(folder);
  // The checkpoints of a finished run may have been deleted to save space.
  const { step } = (checkpoint?.state as TrainerState | undefined) ?? { step: config.train.steps };
  const finished = checkpoint === undefined || isFinished(checkpoint.state as TrainerState, config);
  return {
    done: checkpoint?.step ?? 0,
    known: finished ? answersToAll(readResults(folder), config.evaluate, step)?.map(summaryOf) : undefined,
  };
}
