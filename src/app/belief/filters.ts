/** @file The work of `statelab belief`, step by step, and what it gives: one JSON document, or tables. */

import { readFile } from "node:fs/promises";
import {
  type AdversaryOptions,
  decaySteps,
  deviation,
  type MarginalRule,
  marginalAdversarySteps,
  massDecaySteps,
  referenceFor,
  referenceRows,
} from "../../analysis/belief/index.ts";
import { fail } from "../../core/error.ts";
import type { PartsDone } from "../../core/progress.ts";
import { rngFrom } from "../../core/rng.ts";
import { parseWith, parseYaml } from "../../core/settings.ts";
import type { Table } from "../../report/text-table.ts";
import { Automaton } from "../../schemas/automaton.ts";
import { machineFrom } from "../../tasks/automaton/machine.ts";
import { adversaryTables, calibrationTable, massTable, natsTable, underflowTable } from "./tables.ts";

export type Work = Generator<PartsDone & { readonly name: string }, Outcome>;

export interface Outcome {
  readonly document: object;
  readonly tables: readonly Table[];
}

export interface Chosen {
  readonly probability: number | undefined;
  readonly spacing: number | undefined;
  readonly reveals: number;
  readonly seed: number;
}

/** The rows of the reference table, or the one setting that was asked for. */
export function* decayWork({ probability, spacing, ...others }: Chosen & { variables: number }): Work {
  const asked = { probability: probability ?? 0.5, spacing: spacing ?? 4 };
  const settings = probability === undefined && spacing === undefined ? referenceRows : [asked];
  const rows = [];
  for (const { probability: p, spacing: r } of settings) {
    const measured = yield* named(
      `p ${p}, r ${r}`,
      massDecaySteps({ ...others, probability: p, spacing: r }),
    );
    const reference = referenceFor(measured.setting);
    const deviations = Object.entries(reference?.nats ?? {}).flatMap(([filter, nats]) =>
      measured.filters.flatMap((score) =>
        score.filter === filter ? [[filter, deviation(score.nats, nats)]] : [],
      ),
    );
    rows.push({ ...measured, ...(reference && { reference, deviations: Object.fromEntries(deviations) }) });
  }
  return {
    document: { rows },
    tables: [natsTable(rows), calibrationTable(rows), massTable(rows), underflowTable(rows)],
  };
}

export function* adversaryWork(
  rules: readonly MarginalRule[],
  options: Omit<AdversaryOptions, "rule">,
): Work {
  const found = [];
  for (const rule of rules) found.push(yield* named(rule, marginalAdversarySteps({ ...options, rule })));
  return { document: { found }, tables: adversaryTables(found) };
}

/** Filters of an automaton that is written down; marginals are for permutations alone. */
export async function fileWork(path: string, chosen: Chosen): Promise<Work> {
  if (chosen.probability !== undefined)
    fail("--probability", "a table or adversary", path, "The file has its own");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return fail("belief", "table, adversary or the file of an automaton", path, "There is no such file");
  }
  const { spacing = 4, reveals, seed } = chosen;
  const { questions, ...machine } = machineFrom(parseWith(Automaton, parseYaml(text, path), path));
  // The state itself is asked for only where there is nothing else to ask.
  const asked = { ...machine, questions: questions.length > 1 ? questions.slice(0, -1) : questions };
  const setting = { file: path, spacing, window: 2 * spacing, reveals, seed };
  return (function* () {
    const steps = decaySteps(asked, {}, setting, rngFrom(seed).fork(path));
    const row = { setting, ...(yield* named(path, steps)) };
    return {
      document: row,
      tables: [natsTable([row]), calibrationTable([row]), massTable([row]), underflowTable([row])],
    };
  })();
}

export function* named<T>(
  name: string,
  steps: Generator<PartsDone, T>,
): Generator<PartsDone & { name: string }, T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield { ...step.value, name };
  }
}
