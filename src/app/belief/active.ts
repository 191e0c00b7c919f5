/** @file The work of `statelab belief --choose`: what remains unknown where somebody chooses what is shown. */

import {
  type ActiveReveals,
  activeReference,
  activeRevealSteps,
  type Estimate,
} from "../../analysis/belief/index.ts";
import type { RevealChoice } from "../../core/active-query.ts";
import type { Table } from "../../report/text-table.ts";
import { type Chosen, named, type Work } from "./filters.ts";

/** Of the numbers that an earlier program found for five variables. */
const referenceError = 0.015;

interface Row extends ActiveReveals {
  readonly reference?: Readonly<Record<RevealChoice, number>>;
}

/** The rows of the reference, or the one setting that was asked for. */
export function* activeWork(
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
    columns: ["nats that remain", "", ...choices],
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
    columns: ["gain a reveal, nats", "", ...rows[0].scores.map(({ choice }) => choice)],
    rows: rows.map((row) => [...nameOf(row), ...row.scores.map(({ gain }) => estimated(gain))]),
  };
}
