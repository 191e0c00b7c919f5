/**
 * @file What a run recorded of itself, as tools for training curves take it: numbers by tag, step and time, or tables (RFC 4180):
 *
 *     metrics.csv   step,loss,accuracy,...          tested.csv   step,change,wanted,programs,reveals,accuracy,accuracyLast,...
 */

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
    fail(folder, "a run with recorded steps or tests", new Words("neither"));
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

type Cell = string | number | undefined;

export function csvFiles({ steps, tested }: History): Record<string, string> {
  const references = [...new Set(tested.flatMap((test) => Object.keys(test.references)))];
  return {
    "metrics.csv": csv(steps.map((record): Record<string, Cell> => ({ ...record }))),
    "tested.csv": csv(
      tested.map((test) => ({
        ...{ step: test.step, change: JSON.stringify(test.change), wanted: test.wanted },
        ...{ programs: test.programs, reveals: test.reveals },
        ...{ accuracy: test.accuracy, accuracyLast: test.accuracyLast },
        ...Object.fromEntries(references.map((name) => [name, test.references[name]?.accuracy])),
      })),
    ),
  };
}

/** Columns in the order in which they first occur; a cell that a row has not is empty. */
function csv(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cellText).join(",")}\r\n`).join("");
}

function cellText(cell: Cell): string {
  const text = cell === undefined ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
