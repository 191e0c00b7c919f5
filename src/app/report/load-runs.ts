/**
 * @file Loads runs for the page of `statelab report`: training curves, test results and settings.
 *
 *     runs/beta/betaMax=1/seed-0, seed-1     differ in the seed alone: one kind, `betaMax=1`
 *     runs/beta/betaMax=2/seed-0, seed-1     another
 *
 * Whether a run has learned is judged by the densest reveals of its training. If no test covers these and the
 * others do not show it, the run is evaluated now, and its answers are stored as those of `evaluate`. No user code is run for that.
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { clusteredMean } from "../../core/cluster-robust.ts";
import { fail, LabError } from "../../core/error.ts";
import type { ReportedKind, ReportedRun, ReportedTest } from "../../report/index.ts";
import { LEARNED } from "../../schemas/convergence.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type TestedRecord, testName } from "../../schemas/test-result.ts";
import { latestCheckpoint } from "../../storage/index.ts";
import { runGroup } from "../../storage/run-files.ts";
import { kindOf, lastAnswers, runsBelow } from "../compare/load.ts";
import { named } from "../compare/names.ts";
import { isModulePath } from "../own-code/load.ts";
import { configOf } from "../run/config.ts";
import { askTests } from "../run/evaluate.ts";
import { openTrainedRun } from "../run/open.ts";
import {
  cameTo,
  densestTaught,
  hasPrograms,
  isInTrainingRange,
  streamOf,
  trainingCurve,
} from "../run/results.ts";

/** @throws LabError if a folder has no run. Without a signal no run is evaluated and no model opened. `names`: of `--name`. */
export async function gatherRuns(
  folders: readonly string[],
  signal?: AbortSignal,
  names: readonly string[] = [],
): Promise<ReportedKind[]> {
  const below = await Promise.all(folders.map(foldersIn));
  const kinds = new Map<string, ReportedRun[]>();
  for (const folder of new Set(below.flat())) {
    const config = await configOf(folder);
    const kind = await kindOf(folder, config);
    kinds.set(kind, [...(kinds.get(kind) ?? []), await reported(folder, config, signal)]);
  }
  const found = [...kinds.values()].map((runs) => ({
    name: nameOf(runs.map(({ folder }) => folder)),
    runs: runs.toSorted((a, b) => a.config.seed - b.config.seed),
  }));
  return named(found, names);
}

async function foldersIn(folder: string): Promise<string[]> {
  const found = await runsBelow(folder, 3);
  if (found.length > 0) return found;
  const got = existsSync(folder) ? "a folder without a config.json" : "no such folder";
  return fail(folder, "a run, or a folder of runs", got);
}

/** Without the part that says the seed: `betaMax=1/seed-0` and `lstm-seed-0` are the names of their settings. */
function nameOf([first, ...others]: readonly string[]): string {
  const named = runGroup(first);
  return others.length > 0 && named === first ? dirname(first) : named;
}

async function reported(folder: string, config: RunConfig, signal?: AbortSignal): Promise<ReportedRun> {
  const curve = trainingCurve({ folder, config }, await parametersOf(folder));
  const stage = (curve.stages?.reached ?? 1) - 1;
  const stream = streamOf({ folder, config });
  const densest = densestTaught(config, stage);
  const isDensest = ({ change }: Pick<TestedRecord, "change">) =>
    densest.some((each) => hasPrograms(config.task, each, change));
  const answers = lastAnswers(folder).filter(({ programs }) => programs > 0);
  const shown = answers.some((answer) => isDensest(answer) && answer.accuracy >= LEARNED);
  const missing = densest.filter(
    (each) => !answers.some(({ change }) => hasPrograms(config.task, each, change)),
  );
  const more =
    signal !== undefined && answers.length > 0 && !shown && !hasOwnParts(config)
      ? await askedNow(folder, config, missing, signal)
      : [];
  return {
    ...{ folder, config, curve },
    step: curve.points.at(-1)?.step ?? 0,
    densest: densest.map(testName),
    tests: [...answers, ...more].map((test) => ({
      ...testOf(config, test, stage),
      densest: isDensest(test),
    })),
    ...(stream && { stream }),
  };
}

const hasOwnParts = ({ task, model }: RunConfig) => isModulePath(task.name) || isModulePath(model.name);

/** None of a run that cannot be opened: its page says that it was not asked. */
async function askedNow(
  folder: string,
  config: RunConfig,
  tests: TestedRecord["change"][],
  signal: AbortSignal,
): Promise<TestedRecord[]> {
  if (tests.length === 0) return [];
  try {
    const run = await openTrainedRun(folder);
    const { examples: programs } = config.evaluate;
    const asking = { tests, programs, known: [], signal, onUnkept: () => {} };
    return (await askTests(folder, run, asking)).filter((answer) => answer.programs > 0);
  } catch (error) {
    if (error instanceof LabError) return [];
    throw error;
  }
}

/** Counted in the newest checkpoint: a model of a user's own is not run to be counted. 0 where there is none, or it is damaged. */
async function parametersOf(folder: string): Promise<number> {
  try {
    const checkpoint = await latestCheckpoint(folder);
    return Object.values(checkpoint?.model ?? {}).reduce((sum, { data }) => sum + data.length, 0);
  } catch (error) {
    if (error instanceof LabError) return 0;
    throw error;
  }
}

function testOf(config: RunConfig, test: TestedRecord, stage: number): Omit<ReportedTest, "densest"> {
  const { change, programs, reveals, accuracy, accuracyLast, references } = test;
  const { asTrained } = cameTo(config, { change, asTrained: isInTrainingRange(config, change) }, stage);
  const { interval } = clusteredMean(
    test.hits.map((program) => ({ asked: program.length, right: program.replaceAll("0", "").length })),
  );
  return {
    ...{ name: testName(change), change, asTrained, programs, reveals, accuracy, accuracyLast },
    references: Object.fromEntries(
      Object.entries(references).map(([name, shares]) => [name, shares.accuracy]),
    ),
    ...(interval !== undefined && { interval }),
  };
}
