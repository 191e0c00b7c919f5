/** @file What a run recorded of itself, as tools for training curves take it: numbers by tag, step and time. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, Words } from "../../core/error.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { type TestedRecord, testName } from "../../schemas/test-result.ts";
import { readLog, runFiles } from "../../storage/index.ts";
import { configOf } from "../run/config.ts";
import { readProvenance } from "../run/provenance.ts";
import { readResults } from "../run/results.ts";

export interface History {
  readonly folder: string;
  readonly config: RunConfig;
  readonly steps: readonly StepRecord[];
  readonly tested: readonly TestedRecord[];
  /** Seconds since 1970; 0 of a run that the page trained, which does not say it. */
  readonly started: number;
}

/** Needs no weights and no file of the user's own. Errors: LabError where the folder is no run, or nothing was trained. */
export async function readHistory(folder: string): Promise<History> {
  const config = await configOf(folder);
  const path = join(folder, runFiles.metrics);
  const steps = existsSync(path) ? readLog(path, StepRecord) : [];
  const tested = readResults(folder);
  if (steps.length + tested.length === 0)
    fail(folder, "a run that was trained or asked", new Words("neither"));
  const origin = await readProvenance(folder);
  const started = origin?.sessions[0] === undefined ? 0 : Date.parse(origin.sessions[0].started) / 1000;
  return { folder, config, steps, tested, started };
}

export interface Point {
  readonly step: number;
  /** Seconds since the start, in which it was trained. */
  readonly after: number;
  readonly values: Readonly<Record<string, number>>;
}

/** Of each step what is a number, and then each test by what was asked: `train/loss`, `tested/commands 48/accuracy`. */
export function historyPoints({ steps, tested }: Pick<History, "steps" | "tested">): Point[] {
  let after = 0;
  const trained = steps.map(({ step, ...record }): Point => {
    after += record.seconds;
    const numbers = Object.entries(record).filter(
      (each): each is [string, number] => typeof each[1] === "number",
    );
    return {
      step,
      after,
      values: Object.fromEntries(numbers.map(([key, value]) => [`train/${key}`, value])),
    };
  });
  const asked = tested
    .filter(({ programs }) => programs > 0)
    .map(({ step, change, accuracy, accuracyLast }): Point => {
      const name = `tested/${testName(change)}`;
      const at = trained.findLast((point) => point.step <= step)?.after ?? 0;
      return {
        step,
        after: at,
        values: { [`${name}/accuracy`]: accuracy, [`${name}/accuracyLast`]: accuracyLast },
      };
    });
  return [...trained, ...asked];
}
