/**
 * @file What a run recorded of itself, as tools for training curves take it: numbers by tag, step and time, or tables:
 *
 *     metrics     step, loss, accuracy, ...                              a row per step
 *     tested      step, change, wanted, programs, reveals, accuracy, ... a row per test
 *     positions   step, test, wanted, position, accuracy                 a row per test and position of the reveal
 *     answers     step, test, wanted, program, position, correct         a row per answer
 *
 * Rows of several runs begin with the run's folder, and the settings in which these runs differ: run,seed,model.betaMax,step,...
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, Words } from "../../core/error.ts";
import { leaves } from "../../core/json.ts";
import type { Row } from "../../schemas/formats/csv.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { type TestedRecord, testName } from "../../schemas/test-result.ts";
import { readLog, runFiles } from "../../storage/index.ts";
import { configOf } from "../run/config.ts";
import { stepScalars } from "../run/event-log.ts";
import { readProvenance } from "../run/provenance.ts";
import { readResults } from "../run/results.ts";

export interface History {
  readonly folder: string;
  /** Its folder, as the tables name it. */
  readonly run: string;
  readonly config: RunConfig;
  readonly steps: readonly StepRecord[];
  readonly tested: readonly TestedRecord[];
  /** Seconds since 1970; 0 of a run that the page trained, which does not say it. */
  readonly started: number;
}

/** Needs no weights and no file of the user's own. Errors: LabError where the folder is no run, or nothing was trained. */
export async function readHistory(folder: string, run: string): Promise<History> {
  const config = await configOf(folder);
  const path = join(folder, runFiles.metrics);
  const steps = existsSync(path) ? readLog(path, StepRecord) : [];
  const tested = readResults(folder);
  if (steps.length + tested.length === 0)
    fail(folder, "a run with recorded steps or tests", new Words("neither"));
  const origin = await readProvenance(folder);
  const started = origin?.sessions[0] === undefined ? 0 : Date.parse(origin.sessions[0].started) / 1000;
  return { folder, run, config, steps, tested, started };
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
  const trained = steps.map((record): Point => {
    after += record.seconds;
    return { step: record.step, after, values: stepScalars(record) };
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

/** Tables by name. Answers are too many of several runs. */
export function historyRows(histories: readonly History[]): Record<string, Row[]> {
  const differing = differences(histories.map(({ config }) => config));
  const rows = (of: (history: History) => readonly Row[]) =>
    histories.flatMap((history, i) =>
      of(history).map((row) =>
        histories.length === 1 ? row : { run: history.run, ...differing[i], ...row },
      ),
    );
  const references = [
    ...new Set(histories.flatMap(({ tested }) => tested.flatMap((test) => Object.keys(test.references)))),
  ];
  const about = ({ step, change, wanted }: TestedRecord) => ({ step, test: testName(change), wanted });
  return {
    metrics: rows(({ steps }) => steps.map((record) => ({ ...record }))),
    tested: rows(({ tested }) =>
      tested.map((test) => ({
        ...{ step: test.step, change: JSON.stringify(test.change), wanted: test.wanted },
        ...{ programs: test.programs, reveals: test.reveals },
        ...{ accuracy: test.accuracy, accuracyLast: test.accuracyLast },
        ...Object.fromEntries(references.map((name) => [name, test.references[name]?.accuracy])),
      })),
    ),
    positions: rows(({ tested }) =>
      tested.flatMap((test) =>
        test.accuracyByReveal.map((accuracy, i) => ({ ...about(test), position: i + 1, accuracy })),
      ),
    ),
    answers:
      histories.length > 1
        ? []
        : histories[0].tested.flatMap((test) =>
            test.hits.flatMap((program, i) =>
              [...program].map((hit, k) => ({
                ...{ ...about(test), program: test.places[i], position: k + 1, correct: Number(hit) },
              })),
            ),
          ),
  };
}

/** Of each configuration the values, by path, that are not the same in all: {"seed": 0, "model.betaMax": 2}. */
function differences(configs: readonly RunConfig[]): Row[] {
  const all = configs.map((config) =>
    Object.fromEntries(
      leaves(config).map(([path, value]) => [path, typeof value === "boolean" ? String(value) : value]),
    ),
  );
  const paths = [...new Set(all.flatMap(Object.keys))];
  const varied = paths.filter((path) => new Set(all.map((each) => each[path])).size > 1);
  return all.map((each) => Object.fromEntries(varied.map((path) => [path, each[path]])));
}
