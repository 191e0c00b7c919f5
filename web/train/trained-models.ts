/** @file Models that were trained in this page, for the views that ask them. They are gone when it is left. */

import type { RunConfig } from "../../src/schemas/run-config.ts";
import type { Answers } from "./trainer.worker.ts";

export interface Kept extends Omit<Answers["weights"], "step"> {
  readonly id: string;
  readonly label: string;
  readonly config: RunConfig;
  readonly step: number;
  /** Share of held-out answers, where it was asked. */
  readonly heldOut: number | undefined;
}

const shelf: Kept[] = [];
/** The oldest goes when there are more. */
const MOST = 8;

/** Its name in an address. */
export function keep(
  title: string,
  config: RunConfig,
  heldOut: number | undefined,
  weights: Answers["weights"],
): string {
  const id = `trained-${shelf.length === 0 ? 1 : Number(shelf.at(-1)!.id.split("-")[1]) + 1}`;
  shelf.push({
    ...weights,
    id,
    config,
    heldOut,
    label: `${title}, ${config.task.name}, step ${weights.step}`,
  });
  if (shelf.length > MOST) shelf.shift();
  return id;
}

export const kept = (): readonly Kept[] => shelf;

/** A model that scores 95 % on its training configuration fits it (src/schemas/convergence.ts). */
export const LEARNED = 0.95;

/** What its answers may be taken for. */
export function trainedSummary({ config, step, heldOut }: Kept): string {
  const { task } = config;
  const size = task.name === "repl" ? `sessions of ${task.commands} swaps` : `words of up to ${task.length}`;
  const known = `Trained in this page for ${step} steps on ${size}`;
  if (heldOut === undefined) return `${known}; not evaluated yet.`;
  const right = `held-out accuracy is ${(100 * heldOut).toFixed(1)} %`;
  return heldOut >= LEARNED
    ? `${known}: ${right}. Longer words were not in its training.`
    : `${known}: ${right}. It does not fit its training data, so its DFA is not evidence about the architecture.`;
}
