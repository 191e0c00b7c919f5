/** @file The settings of `mass-decay` and the filters that it compares. */

import { referenceRows } from "../../src/analysis/belief/index.ts";

export interface Walk {
  readonly variables: number;
  readonly probability: number;
  readonly spacing: number;
}

/** Of five variables: those of the reference. */
export const five = referenceRows.map(
  ({ probability, spacing }): Walk => ({ variables: 5, probability, spacing }),
);
/** Few enough for a listing of everything that can happen. */
export const three: readonly Walk[] = [
  { variables: 3, probability: 0.5, spacing: 1 },
  { variables: 3, probability: 0.1, spacing: 1 },
  { variables: 3, probability: 0.5, spacing: 2 },
];

export const nameOf = ({ variables, probability, spacing }: Walk) =>
  `n ${variables}, p ${probability}, r ${spacing}`;
export const isOfFive = (setting: string) => setting.startsWith("n 5");

export const filters = {
  exact: { label: "exact", summary: "the forward algorithm over n! states, normalised at every reveal" },
  sinkhorn: {
    label: "Sinkhorn",
    summary: "n x n marginals; after a reveal rows and columns are scaled to 1: not linear",
  },
  windowed: {
    label: "windowed",
    summary: "exact about the last 2r commands, knows nothing of the time before",
  },
  "row+column": {
    label: "row + column",
    summary: "marginals; a reveal writes its row and clears its column",
  },
  row: { label: "row only", summary: "marginals; a reveal writes its row" },
  joint: {
    label: "joint, not normalised",
    summary: "n! numbers by linear updates: what a linear recurrence can hold",
  },
} as const;
export type FilterName = keyof typeof filters;
