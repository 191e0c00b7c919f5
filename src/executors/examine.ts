/** @file Findings of an examination of an executor. */

import { setTimeout as pause } from "node:timers/promises";

export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly words: string;
}

export interface ExamineOptions {
  /** That its machines share: where the runs shall be. */
  readonly folder: string;
  readonly version: string;
  /** How long each step is waited for. */
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
  readonly onFinding?: (finding: Finding) => void;
}

/** Slurm refuses messages that are five minutes old; time stamps are compared to see who came first. */
export const mostClockSeconds = 60;

export function collectFindings(onFinding: ExamineOptions["onFinding"]) {
  const findings: Finding[] = [];
  const found = (what: string, ok: boolean, words: string) => {
    findings.push({ what, ok, words });
    onFinding?.({ what, ok, words });
    return ok;
  };
  return { findings, found };
}

const lookEveryMilliseconds = 200;

/** undefined where nothing was seen in time. */
export async function waitFor<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { waitSeconds, signal }: Pick<ExamineOptions, "waitSeconds" | "signal">,
): Promise<T | undefined> {
  const deadline = performance.now() + waitSeconds * 1000;
  while (performance.now() < deadline && !signal.aborted) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await pause(lookEveryMilliseconds);
  }
  return undefined;
}
