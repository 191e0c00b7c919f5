/**
 * @file Askings of several models held against the first, program by program: what `statelab compare` does with folders of `statelab llm eval`.
 *
 *     function/output     a: right, wrong, right      b: right, right, right      b - a = 1/3, its interval over programs
 *
 * A program counts where both have all of its samples; one that the endpoint did not deliver is in neither. An answer that
 * is missing since the model ran out of tokens is wrong.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Interval } from "../../analysis/seed-aggregate.ts";
import { clusteredDifference, type PairedCluster } from "../../core/cluster-robust.ts";
import { fail } from "../../core/error.ts";
import { AskResults, SampleRecord } from "../../schemas/eval.ts";
import { checkFolder } from "../../storage/index.ts";
import { readJson, readJsonLines } from "../data/files.ts";

interface AskedFolder {
  readonly folder: string;
  readonly results: AskResults;
  /** By `ARM/PREDICT`, by program: samples, and how many are right. */
  readonly programs: ReadonlyMap<string, ReadonlyMap<string, Answered>>;
}

interface Answered {
  asked: number;
  right: number;
}

export interface AskedComparison {
  /** `function/output`. */
  readonly arm: string;
  readonly baseline: string;
  readonly contender: string;
  /** Programs that both answered, of so many that either was asked. */
  readonly programs: number;
  readonly of: number;
  /** Shares of samples that are right, over these programs. */
  readonly shares: readonly [baseline: number, contender: number];
  /** contender - baseline, with its 95 % interval over programs. */
  readonly difference: number;
  readonly interval: Interval;
}

/** Whether a folder is one of `statelab llm eval`. */
export function isAsking(folder: string): boolean {
  return existsSync(join(folder, "answers.jsonl")) && existsSync(join(folder, "results.json"));
}

/** What has to be the same, so that only the model differs. */
const alike = [
  "bench",
  "params",
  "data",
  "traces",
  "style",
  "scoring",
  "shots",
  "prompt",
  "samples",
  "seed",
] as const;

/** Errors: LabError where two were not asked the same. */
export async function compareEvals(folders: readonly string[]): Promise<AskedComparison[]> {
  const asked = await Promise.all(folders.map(readAsking));
  const [baseline, ...others] = asked;
  if (others.length === 0)
    fail("compare", "at least two contenders", baseline.folder, "Name another evaluation");
  for (const { folder, results } of others) {
    for (const field of alike) {
      const [own, first] = [results[field], baseline.results[field]].map((value) => JSON.stringify(value));
      if (own !== first)
        fail(
          folder,
          `${field} ${first}, as ${baseline.folder} has`,
          own,
          "Evaluate both models with the same options",
        );
    }
  }
  const comparisons = others.flatMap((other) => compared(baseline, other));
  if (comparisons.length === 0) {
    const arms = asked.map(({ programs }) => [...programs.keys()].join(", ") || "none");
    fail(
      others[0].folder,
      `an arm of ${baseline.folder} (${arms[0]})`,
      arms[1],
      "Evaluate both models with the same options",
    );
  }
  return comparisons;
}

async function readAsking(folder: string): Promise<AskedFolder> {
  checkFolder(folder);
  const { value: results } = await readJson(join(folder, "results.json"), AskResults);
  const { rows } = await readJsonLines(join(folder, "samples.jsonl"), SampleRecord);
  const programs = new Map<string, Map<string, Answered>>();
  for (const { arm, predict, id, verdict } of rows) {
    const key = `${arm}/${predict}`;
    const own = programs.get(key) ?? new Map<string, Answered>();
    programs.set(key, own);
    const program = own.get(id) ?? { asked: 0, right: 0 };
    own.set(id, program);
    program.asked++;
    if (verdict === "correct") program.right++;
  }
  return { folder, results, programs };
}

function compared(baseline: AskedFolder, contender: AskedFolder): AskedComparison[] {
  const { samples } = baseline.results;
  return [...baseline.programs].flatMap(([arm, own]): AskedComparison[] => {
    const other = contender.programs.get(arm);
    if (other === undefined) return [];
    const clusters = [...own].flatMap(([id, { asked, right }]): PairedCluster[] => {
      const partner = other.get(id);
      const whole = asked === samples && partner?.asked === samples;
      return whole ? [{ asked, rightA: right, rightB: partner.right }] : [];
    });
    if (clusters.length === 0) return [];
    const share = (of: (cluster: PairedCluster) => number) =>
      clusters.reduce((sum, cluster) => sum + of(cluster), 0) / (clusters.length * samples);
    return [
      {
        arm,
        baseline: baseline.folder,
        contender: contender.folder,
        programs: clusters.length,
        of: new Set([...own.keys(), ...other.keys()]).size,
        shares: [share(({ rightA }) => rightA), share(({ rightB }) => rightB)],
        ...clusteredDifference(clusters),
      },
    ];
  });
}
