/**
 * @file Runs that are to be compared, read from their folders: what each was asked, and how much of it was right.
 *
 *     runs/beta/betaMax=1      a folder with runs of several seeds: one contender
 *     runs/headline            runs that differ in more than the seed: one contender for each kind
 *     runs/deltanet            a run
 */

import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { parseWith } from "../../core/settings.ts";
import type { Stalled } from "../../schemas/convergence.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type TestedRecord, testName } from "../../schemas/test-result.ts";
import { runFiles } from "../../storage/index.ts";
import { runGroup } from "../../storage/run-files.ts";
import { agentFiles } from "../agents/read.ts";
import { configOf } from "../run/config.ts";
import { keptParts, readProvenance } from "../run/provenance.ts";
import { partsOf } from "../run/resolve.ts";
import { readResults, stalledIn } from "../run/results.ts";

/** A test that a run was asked. */
export interface AnsweredTest {
  /** For people: `commands 48, spacing 24`. */
  readonly name: string;
  /** The task with the test's changes and all defaults, as text: equal for the same test. */
  readonly asked: string;
  /** What the programs were drawn by, besides the seed. */
  readonly change: string;
  readonly accuracy: number;
  readonly accuracyLast: number;
  /** The answers to each program (`101`), by its place in the test's stream. */
  readonly programs: ReadonlyMap<number, string>;
}

export interface AnsweredRun {
  readonly folder: string;
  readonly seed: number;
  readonly task: string;
  readonly tests: readonly AnsweredTest[];
  /** Where its curriculum stopped short of its last stage. */
  readonly stalled: Stalled | undefined;
}

/** One side of a comparison: runs that differ in nothing but the seed. */
export interface Contender {
  readonly name: string;
  readonly runs: readonly AnsweredRun[];
}

/** Errors: LabError where there is no run, a run has not been asked anything, or a seed occurs twice. */
export async function contendersIn(folder: string): Promise<Contender[]> {
  const folders = await runsBelow(folder, 2);
  if (folders.length === 0) {
    fail(
      folder,
      "a run, or a folder of runs",
      existsSync(folder) ? "a folder without a config.json" : "no such folder",
    );
  }
  const kinds = new Map<string, { folder: string; config: RunConfig }[]>();
  for (const each of folders) {
    const config = await configOf(each);
    const kind = await kindOf(each, config);
    kinds.set(kind, [...(kinds.get(kind) ?? []), { folder: each, config }]);
  }
  const contenders: Contender[] = [];
  for (const runs of kinds.values()) {
    contenders.push(await contenderOf(kinds.size === 1 ? folder : runGroup(runs[0].folder), runs));
  }
  return contenders;
}

/** Errors: LabError where a run has not been asked anything, or a seed occurs twice. */
export async function contenderOf(
  name: string,
  runs: readonly { readonly folder: string; readonly config: RunConfig }[],
): Promise<Contender> {
  const seeds = runs.map(({ config }) => config.seed);
  const twice = runs.find(({ config }, i) => seeds.indexOf(config.seed) !== i);
  if (twice !== undefined)
    fail(name, "one run per seed", `two of seed ${twice.config.seed}, one in ${twice.folder}`);
  return { name, runs: await Promise.all(runs.map(({ folder, config }) => answered(folder, config))) };
}

/** Equal for runs that differ in the seed alone. A custom file that was edited between two runs makes them two kinds. */
export async function kindOf(folder: string, { seed: _, ...rest }: RunConfig): Promise<string> {
  const own = Object.values((await readProvenance(folder))?.own ?? {});
  return JSON.stringify([rest, own.flatMap(({ sources }) => sources.map(({ sha256 }) => sha256))]);
}

/** The folder itself, or the runs in it, at most `depth` folders down. Episodes of an agent have a configuration, too, and are no run. */
export async function runsBelow(folder: string, depth: number): Promise<string[]> {
  if (existsSync(agentFiles(folder).ledger)) return [];
  if (existsSync(join(folder, runFiles.config))) return [folder];
  if (depth === 0 || !existsSync(folder)) return [];
  const inner = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const found = await Promise.all(inner.map(({ name }) => runsBelow(join(folder, name), depth - 1)));
  return found.flat().sort();
}

async function answered(folder: string, config: RunConfig): Promise<AnsweredRun> {
  const results = lastAnswers(folder);
  if (results.length === 0) {
    const ask = `statelab evaluate ${shellWord(folder)}`;
    const hint = existsSync(join(folder, runFiles.model))
      ? `Test it: ${ask}`
      : `It is unfinished: continue it with statelab train --resume ${shellWord(folder)}, or test it now: ${ask}`;
    const kept = join(folder, runFiles.tested);
    const got =
      existsSync(kept) && statSync(kept).size > 0 ? `no whole line in ${runFiles.tested}` : "no answers";
    fail(folder, "a run with test results", got, hint);
  }
  const { task } = await partsOf(config, await keptParts(folder, config));
  const { name, ...params } = config.task;
  const tests = results
    .filter(({ programs }) => programs > 0)
    .map(({ change, accuracy, accuracyLast, places, hits }): AnsweredTest => {
      const whole = parseWith(task.params, { ...params, ...change }, join(folder, runFiles.config));
      return {
        name: testName(change),
        asked: sortedJson(whole),
        change: JSON.stringify(change),
        accuracy,
        accuracyLast,
        programs: new Map(places.map((place, i) => [place, hits[i]])),
      };
    });
  const step = Math.max(...results.map((result) => result.step)) || undefined;
  return { folder, seed: config.seed, task: name, tests, stalled: stalledIn(folder, config, step) };
}

/** What is known of the weights that were trained longest: of each test the answers to the most programs, the last of them. */
export function lastAnswers(folder: string): TestedRecord[] {
  const known = readResults(folder);
  const step = Math.max(...known.map((test) => test.step));
  const ofLast = known.filter((test) => test.step === step);
  const most = ofLast.toSorted((a, b) => a.wanted - b.wanted); // a stable sort keeps their order
  return [...new Map(most.map((test) => [JSON.stringify(test.change), test])).values()];
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
