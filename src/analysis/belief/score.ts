/**
 * @file How good stated probabilities are: nats paid for what happened, and whether "30 %" happens in 30 of 100 cases.
 *
 *     nats                −ln P(what was revealed), mean over reveals
 *     calibration error   Σ_bins (share of the statements in the bin) · |mean stated − share that came true|
 *
 * A statement is "this answer, with probability P"; each reveal makes one for every answer. Ten bins of equal width.
 * Standard errors are over episodes, which are independent; reveals of one episode are not.
 */

import { mean, standardError } from "../../core/statistics.ts";

export interface Estimate {
  readonly mean: number;
  readonly standardError: number;
}

export function estimate(values: ArrayLike<number>): Estimate {
  return { mean: mean(values), standardError: standardError(values) };
}

export interface CalibrationBin {
  readonly stated: number;
  readonly cameTrue: number;
  readonly statements: number;
}

export interface Calibration {
  readonly error: number;
  /** Those that hold a statement, from never to always. */
  readonly bins: readonly CalibrationBin[];
}

const BINS = 10;

export interface Calibrator {
  /** The answer that came true, and what each answer was given. */
  add(shares: ArrayLike<number>, answer: number): void;
  result(): Calibration;
}

export function calibrator(): Calibrator {
  const stated = new Float64Array(BINS);
  const cameTrue = new Float64Array(BINS);
  const statements = new Float64Array(BINS);
  return {
    add(shares, answer) {
      for (let i = 0; i < shares.length; i++) {
        const bin = Math.min(BINS - 1, Math.floor(shares[i] * BINS));
        stated[bin] += shares[i];
        statements[bin]++;
        if (i === answer) cameTrue[bin]++;
      }
    },
    result() {
      const all = statements.reduce((sum, count) => sum + count, 0);
      const bins = Array.from(statements, (count, bin) => ({
        stated: stated[bin] / count,
        cameTrue: cameTrue[bin] / count,
        statements: count,
      })).filter((bin) => bin.statements > 0);
      const gap = (bin: CalibrationBin) => (bin.statements / all) * Math.abs(bin.stated - bin.cameTrue);
      return { error: bins.reduce((sum, bin) => sum + gap(bin), 0), bins };
    },
  };
}
