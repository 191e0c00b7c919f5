/**
 * @file A plan simulated with several settings and seeds.
 *
 *     await studyPlan({ file: "plan.yaml", settings: [], over: ["run.checkpointSeconds=60,600"], seeds: 3, firstSeed: 0 }, ...)
 *     [ { name: "checkpointSeconds=60", results: [seed 0, 1, 2] }, { name: "checkpointSeconds=600", ... } ]
 *
 * Common random numbers: every setting has the same runs, drawn by index and seed.
 */

import { existsSync, statSync } from "node:fs";
import { combine, parseAxis, withChanges } from "../../../src/app/grid.ts";
import { applySettings, parseWith, parseYaml } from "../../../src/core/settings.ts";
import {
  type PlanResult,
  SimulationPlan,
  type StudiedSetting,
  type StudyRequest,
} from "../../../src/schemas/simulation-plan.ts";
import { checkFolder, readInput } from "../../../src/storage/index.ts";
import { measuredPlan } from "./measured.ts";
import { simulatePlan } from "./simulate.ts";

/** Errors: LabError for an invalid plan or setting, before anything is simulated. */
export async function studyPlan(
  { file, settings, over, seeds, firstSeed }: StudyRequest,
  onResult: (done: number, all: number) => void,
  signal: AbortSignal,
): Promise<StudiedSetting[]> {
  const written = writtenPlan(file);
  const plans = await Promise.all(
    combine(over.map(parseAxis)).map(async ({ name, changes }) => ({
      ...{ name, changes },
      plan: await withChanges(changes, (changed) =>
        parseWith(SimulationPlan, applySettings(written, [...settings, ...changed]), file),
      ),
    })),
  );
  const studied: StudiedSetting[] = [];
  let done = 0;
  for (const { name, changes, plan } of plans) {
    const results: PlanResult[] = [];
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      results.push(await simulatePlan(plan, seed, { signal }));
      onResult(++done, plans.length * seeds);
    }
    studied.push({ name, changes, results });
  }
  return studied;
}

/** The raw plan, from the file or measured; not validated. */
export function writtenPlan(file: string): unknown {
  if (existsSync(file) && statSync(file).isDirectory()) {
    checkFolder(file);
    return measuredPlan(file);
  }
  return parseYaml(readInput(file).toString("utf8"), file);
}
