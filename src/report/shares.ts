/** @file How shares of right answers, and who else gives them, are printed. */

import type { Estimated, Interval } from "../analysis/seed-aggregate.ts";
import { percent as shareOf } from "../core/format.ts";

/** NaN where nothing could be asked. */
export function percent(share: number): string {
  return Number.isNaN(share) ? "–" : `${shareOf(share)} %`;
}

/** `97.1 % [93.0, 99.8]`. */
export function estimate({ mean, interval }: Estimated): string {
  return interval === undefined ? percent(mean) : `${percent(mean)} ${brackets(interval)}`;
}

/** Points of a hundred. */
export function brackets([low, high]: Interval): string {
  return `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

/** `windowedBayesWithoutBoundary` is "windowed Bayes without boundary". */
export function spaced(name: string): string {
  return name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .replaceAll(/ (?!Bayes)[A-Z]/g, (part) => part.toLowerCase());
}
