/**
 * @file A sweep before it begins: every run with its folder and configuration, all of them checked, and what is there of
 * each already. Nothing is written.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { itemsInTurns, turnsOf } from "../../core/rotations.ts";
import { describeModel } from "../../models/index.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { latestCheckpoint, runFiles } from "../../storage/index.ts";
import { isFinished, type TrainerState } from "../../train/trainer.ts";
import { combine, parseAxis, type Setting } from "../grid.ts";
import { readConfigFile } from "../run/config-file.ts";
import { inspectConfig } from "../run/resolve.ts";
import { readTested, summaryOf, type TestSummary } from "../run/results.ts";
import { answersToAll } from "../run/run-tests.ts";
import { configOf, firstDifference } from "../run/saved-config.ts";

export interface SweepRequest {
  readonly file: string;
  /** As given by --set and --over. */
  readonly settings: readonly string[];
  readonly over: readonly string[];
  /** How many, from the first on; the first is the file's unless it is given. */
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
  /** Steps that are saved; 0 for a run that is yet to be made. */
  readonly done: number;
  /** What a finished run has answered; it is left as it is. */
  readonly known: readonly TestSummary[] | undefined;
}

/** Runs of a sweep, trials of a search. */
export const mostRuns = 10_000;

/** Errors: LabError for a setting that cannot work, or a folder with another run, before anything is written. */
export async function planSweep(request: SweepRequest, signal?: AbortSignal): Promise<SweepRun[]> {
  const axes = request.over.map(parseAxis);
  const count = axes.reduce((product, { values }) => product * values.length, request.seeds);
  if (count > mostRuns) fail("sweep", `at most ${mostRuns} runs`, count, "Give fewer values or seeds");
  const runs: SweepRun[] = [];
  for await (const setting of itemsInTurns(combine(axes), turnsOf(signal))) {
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

/** The configuration of a setting, and as it is written with the model's defaults filled in. */
async function checked({ changes }: Setting, { file, settings, say }: SweepRequest) {
  const changed = Object.entries(changes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  try {
    // Runs stand side by side, one thread each, unless --set says otherwise.
    const config = readConfigFile(file, ["threads=1", ...settings, ...changed], {
      task: undefined,
      model: undefined,
      say,
    });
    const { model } = await inspectConfig(config, file);
    return { config, written: { ...config, model: { ...describeModel(model), name: config.model.name } } };
  } catch (error) {
    if (!(error instanceof LabError) || changed.length === 0) throw error;
    throw new LabError(`with ${changed.join(", ")}: ${error.message}`, error.kind);
  }
}

const nothing = { done: 0, known: undefined };

/** What is in a run's folder. Errors: LabError where it is not of this run. */
export async function foundIn(folder: string, config: RunConfig, written: object) {
  if (!existsSync(folder)) return nothing;
  if (!existsSync(join(folder, runFiles.config))) {
    // A run that was killed before its configuration stood left no more than its lock and temporary files.
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
      "Replace the run by --overwrite or choose another --out",
    );
  }
  const checkpoint = await latestCheckpoint(folder);
  // A finished run may have been left without its checkpoints, to save room.
  const { step } = (checkpoint?.state as TrainerState | undefined) ?? { step: config.train.steps };
  const finished = checkpoint === undefined || isFinished(checkpoint.state as TrainerState, config);
  return {
    done: checkpoint?.step ?? 0,
    known: finished ? answersToAll(readTested(folder), config, step)?.map(summaryOf) : undefined,
  };
}
