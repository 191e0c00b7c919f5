/**
 * @file Numbers to compare with: nats a reveal on S_5, as they were found when the tasks of this lab were laid out, by a
 * program that shares nothing with this one. Our own, not published.
 *
 *     five variables; a maybe-swap of a uniform pair with probability p; one variable revealed every r commands
 *
 * Their standard errors are at most 0.006; those of the mass follow from it.
 */

export interface ReferenceRow {
  readonly probability: number;
  readonly spacing: number;
  /** Nats a reveal, by filter. */
  readonly nats: Readonly<Record<"exact" | "sinkhorn" | "row+column" | "row", number>>;
  /** log10 of the mass, a reveal. */
  readonly log10Mass: number;
}

export const REFERENCE_VARIABLES = 5;
export const REFERENCE_ERROR = 0.006;

const row = (
  probability: number,
  spacing: number,
  nats: readonly number[],
  log10Mass: number,
): ReferenceRow => ({
  probability,
  spacing,
  nats: { exact: nats[0], sinkhorn: nats[1], "row+column": nats[2], row: nats[3] },
  log10Mass,
});

export const referenceRows: readonly ReferenceRow[] = [
  row(0.5, 1, [0.598, 0.595, 0.743, 1.029], -0.26),
  row(0.5, 4, [1.349, 1.354, 1.628, 1.761], -0.586),
  row(0.5, 16, [1.604, 1.604, 1.896, 1.949], -0.697),
  row(0.1, 4, [0.89, 0.901, 1.114, 1.312], -0.387),
];

/** The row of this setting, if there is one. */
export function referenceFor(setting: {
  readonly variables: number;
  readonly probability: number;
  readonly spacing: number;
}): ReferenceRow | undefined {
  if (setting.variables !== REFERENCE_VARIABLES) return undefined;
  return referenceRows.find(
    ({ probability, spacing }) => probability === setting.probability && spacing === setting.spacing,
  );
}

/** How many standard errors, ours and the reference's together, lie between two numbers. */
export function deviation(measured: { mean: number; standardError: number }, reference: number): number {
  return (measured.mean - reference) / Math.hypot(measured.standardError, REFERENCE_ERROR);
}
