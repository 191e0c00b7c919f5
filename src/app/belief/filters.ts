/**
 * @file The work of `statelab belief`, step by step, and what it gives: one JSON document, or tables. Filters of a hidden state are
 * compared, or what remains unknown where somebody chooses what is shown.
 */

import { readFile } from "node:fs/promises";
import {
  type ActiveReveals,
  type AdversaryOptions,
  activeReference,
  activeRevealSteps,
  decaySteps,
  deviation,
  type Estimate,
  type MarginalRule,
  marginalAdversarySteps,
  massDecaySteps,
  referenceFor,
  referenceRows,
} from "../../analysis/belief/index.ts";
import type { RevealChoice } from "../../core/active-query.ts";
import { fail } from "../../core/error.ts";
import type { PartsDone, ProgressDisplay } from "../../core/progress.ts";
import { rngFrom } from "../../core/rng.ts";
import { parseWith, parseYaml } from "../../core/settings.ts";
import type { Table } from "../../report/text-table.ts";
import { Automaton } from "../../schemas/automaton.ts";
import { machineFrom } from "../../tasks/automaton/machine.ts";
import { adversaryTables, calibrationTable, massTable, natsTable, underflowTable } from "./tables.ts";

interface BeliefOrder {
  /** The table, what misleads marginals, or the file of an automaton. */
  readonly what: "table" | "adversary" | { readonly file: string };
  readonly variables: number;
  /** Of each swap, and commands per reveal; undefined for those of the reference rows. */
  readonly probability: number | undefined;
  readonly spacing: number | undefined;
  /** Counted reveals of each row. */
  readonly reveals: number;
  readonly seed: number;
  /** Of the adversary: commands and answers together, sequences kept, and the rules that it misleads. */
  readonly length: number;
  readonly beam: number;
  readonly rules: readonly MarginalRule[];
  /** Who chooses what is shown: then the table is of what remains, and filters are not compared. */
  readonly choices?: readonly RevealChoice[] | undefined;
}

/** undefined where the signal came before the end. */
export async function compareFilters(
  order: BeliefOrder,
  progress: ProgressDisplay,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const work = await workOf(order);
  try {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done) return step.value;
      progress.update(step.value.name, { step: step.value.done, steps: step.value.of });
      await new Promise(setImmediate); // Ctrl-C is heard between two steps
      if (signal.aborted) return undefined;
    }
  } finally {
    progress.close();
  }
}

function workOf(order: BeliefOrder): Promise<Work> | Work {
  const { what, variables, probability, spacing, reveals, seed, length, beam, rules, choices } = order;
  const chosen = { probability, spacing, reveals, seed };
  if (choices !== undefined) return activeWork(choices, { ...chosen, variables });
  if (what === "table") return decayWork({ ...chosen, variables });
  if (what !== "adversary") return fileWork(what.file, chosen);
  return adversaryWork(rules, { variables, probability: probability ?? 0.5, length, beam, seed });
}

type Work = Generator<PartsDone & { readonly name: string }, Outcome>;

interface Outcome {
  readonly document: object;
  readonly tables: readonly Table[];
}

interface Chosen {
  readonly probability: number | undefined;
  readonly spacing: number | undefined;
  readonly reveals: number;
  readonly seed: number;
}

/** The rows of the reference table, or the one setting that was asked for. */
function* decayWork({ probability, spacing, ...others }: Chosen & { variables: number }): Work {
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

function* adversaryWork(rules: readonly MarginalRule[], options: Omit<AdversaryOptions, "rule">): Work {
  const found = [];
  for (const rule of rules) found.push(yield* named(rule, marginalAdversarySteps({ ...options, rule })));
  return { document: { found }, tables: adversaryTables(found) };
}

/** Filters of an automaton that is written down; marginals are for permutations alone. */
async function fileWork(path: string, chosen: Chosen): Promise<Work> {
  if (chosen.probability !== undefined)
    fail("--probability", "a table or adversary", path, "The file defines its own");
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

function* named<T>(name: string, steps: Generator<PartsDone, T>): Generator<PartsDone & { name: string }, T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield { ...step.value, name };
  }
}

/** Of the numbers that an earlier program found for five variables. */
const referenceError = 0.015;

interface Row extends ActiveReveals {
  readonly reference?: Readonly<Record<RevealChoice, number>>;
}

/** The rows of the reference, or the one setting that was asked for. */
function* activeWork(
  choices: readonly RevealChoice[],
  { probability, spacing, ...others }: Chosen & { readonly variables: number },
): Work {
  const isAsked = probability !== undefined || spacing !== undefined;
  const settings = isAsked ? [{ probability: probability ?? 0.5, spacing: spacing ?? 4 }] : activeReference;
  const rows: Row[] = [];
  for (const { probability: p, spacing: r } of settings) {
    const plan = { ...others, probability: p, spacing: r, choices };
    const measured = yield* named(`p ${p}, r ${r}`, activeRevealSteps(plan));
    const reference = activeReference.find(
      (each) => others.variables === 5 && each.probability === p && each.spacing === r,
    )?.remaining;
    rows.push({ ...measured, ...(reference && { reference }) });
  }
  return { document: { rows }, tables: [remainsTable(rows), gainTable(rows)] };
}

const estimated = ({ mean, standardError }: Estimate) => `${mean.toFixed(4)} ±${standardError.toFixed(4)}`;
const nameOf = ({ setting: { probability, spacing } }: Row) => [`p ${probability}`, `r ${spacing}`];

/** Below each row what the earlier program found, and the difference in standard errors of both. */
function remainsTable(rows: readonly Row[]): Table {
  const choices = rows[0].scores.map(({ choice }) => choice);
  return {
    columns: ["remaining nats", "", ...choices],
    rows: rows.flatMap((row) => {
      const own = [...nameOf(row), ...row.scores.map(({ remaining }) => estimated(remaining))];
      const { reference } = row;
      if (reference === undefined) return [own];
      const errors = row.scores.map(({ choice, remaining: { mean, standardError } }) =>
        ((mean - reference[choice]) / Math.hypot(standardError, referenceError))
          .toFixed(1)
          .replace(/^-(0\.0)$/, "$1"),
      );
      return [
        own,
        ["", "reference", ...choices.map((choice) => reference[choice].toFixed(3))],
        ["", "difference", ...errors],
      ];
    }),
  };
}

function gainTable(rows: readonly Row[]): Table {
  return {
    columns: ["gain in nats per reveal", "", ...rows[0].scores.map(({ choice }) => choice)],
    rows: rows.map((row) => [...nameOf(row), ...row.scores.map(({ gain }) => estimated(gain))]),
  };
}
