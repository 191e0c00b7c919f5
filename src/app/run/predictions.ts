/**
 * @file Single reveals of an evaluation: written to a file for `llm eval`, and compared with the answers of `llm eval`.
 *
 * Two ways to compute the same logits differ in their last bits, so either of two nearly equal best logits may win.
 */

import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import { textTable } from "../../report/text-table.ts";
import { SampleRecord } from "../../schemas/eval.ts";
import type { RevealRecord } from "../../schemas/test-result.ts";
import { checkFolder, writeFileAtomic } from "../../storage/index.ts";
import { predictAnswers } from "../../train/predictions.ts";
import { readJsonLines } from "../data/files.ts";
import { type TrainedRun, testAbout } from "./open.ts";

/** Below this margin the order of the two best logits may be due to rounding. */
export const nearTie = 1e-4;

interface Difference extends Pick<RevealRecord, "id" | "expected" | "margin"> {
  readonly evaluated: string;
  readonly asked: string;
}

export interface Agreement {
  readonly reveals: number;
  /** Reveals that `llm eval` has answered. */
  readonly compared: number;
  /** Reveals with a margin below `nearTie`. */
  readonly nearTies: number;
  readonly differing: readonly Difference[];
}

/** Answers of `llm eval`, by the ids of the reveals. */
interface AskedReveals {
  readonly folder: string;
  readonly samples: ReadonlyMap<string, SampleRecord>;
}

interface Wanted {
  /** A file to be written. */
  readonly reveals: string | undefined;
  readonly against: AskedReveals | undefined;
  readonly signal: AbortSignal;
}

/** @returns the agreement with `against`; undefined without it. */
export async function savePredictions(
  run: TrainedRun,
  tests: readonly Readonly<Record<string, unknown>>[],
  programs: number,
  { reveals, against, signal }: Wanted,
): Promise<Agreement | undefined> {
  const records: RevealRecord[] = [];
  for (const [i, change] of tests.entries()) {
    const test = testAbout(run, change, programs, signal);
    let program = 0;
    for await (const answers of predictAnswers(
      run.model,
      { tree: run.tree, data: run.weights },
      test,
      run.runtime,
    )) {
      signal.throwIfAborted();
      for (const [k, answer] of answers.entries()) {
        const id = [i, String(program).padStart(6, "0"), String(k).padStart(4, "0")].join("_");
        records.push({ version: 1, id, change, ...answer });
      }
      program++;
    }
  }
  if (reveals !== undefined) {
    await writeFileAtomic(reveals, records.map((record) => `${jsonText(record, reveals)}\n`).join(""));
  }
  return against && agreementOf(records, against);
}

export async function readAsked(folder: string): Promise<AskedReveals> {
  checkFolder(folder);
  const { rows } = await readJsonLines(join(folder, "samples.jsonl"), SampleRecord);
  return { folder, samples: new Map(rows.filter(({ index }) => index === 0).map((row) => [row.id, row])) };
}

function agreementOf(records: readonly RevealRecord[], { folder, samples }: AskedReveals): Agreement {
  const differing: Difference[] = [];
  let compared = 0;
  for (const { id, prompt, expected, answer, tokens, margin } of records) {
    const sample = samples.get(id);
    if (sample === undefined) continue;
    if (sample.prompt !== prompt)
      fail(
        folder,
        `the prompt of ${id} in this run's tests`,
        sample.prompt.slice(-60),
        "Save the predictions again, with the same --set and --programs",
      );
    compared++;
    const reply = sample.replies[0];
    // After the first wrong token a decoder continues from its own output.
    const same = tokens === 1 || answer === expected ? reply === answer : reply.startsWith(answer);
    if (!same) differing.push({ id, expected, evaluated: answer, asked: reply, margin });
  }
  if (compared === 0)
    fail(folder, "samples of this run's reveals", "none", "Run statelab llm eval --bench reveals first");
  return {
    ...{ reveals: records.length, compared, differing },
    nearTies: records.filter(({ margin }) => margin < nearTie).length,
  };
}

export function describeAgreement({ reveals, compared, nearTies, differing }: Agreement): string {
  const same = compared - differing.length;
  const head =
    `${same} of ${compared} answers agree with the server's (${reveals} reveals, ` +
    `${nearTies} near ties: top two logits within ${nearTie})`;
  if (differing.length === 0) return head;
  const rows = differing.map(({ id, expected, evaluated, asked, margin }) => [
    ...[id, expected, JSON.stringify(evaluated), JSON.stringify(asked)],
    margin.toExponential(1),
  ]);
  return `${head}\n${textTable({ columns: ["reveal", "value", "evaluate", "llm eval", "margin"], rows })}`;
}
