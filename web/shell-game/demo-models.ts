/**
 * @file The models that the page shows: runs of the project's own headline, with what each was trained on and came to.
 *
 * `web/models/exhibits.json` and its weights are made by `web/models/collect.mjs` from the folder of an experiment.
 */

import file from "../models/exhibits.json" with { type: "json" };

export interface Condition {
  readonly commands: number;
  readonly spacing: number;
  readonly full: boolean;
  /** Share of answers. */
  readonly accuracy: number;
  readonly asTrained: boolean;
}

export interface Exhibit {
  readonly id: string;
  readonly label: string;
  /** The run that trained it, in the folder of `statelab reproduce`. */
  readonly run: string;
  /** Mixer's name and its fields, layers and width, as in a run's config.json. */
  readonly model: { readonly name: string; readonly layers: number } & Readonly<Record<string, unknown>>;
  /** tokens[id]. */
  readonly tokens: readonly string[];
  /** Its tests, the densest first; trained ones as far as its curriculum came. */
  readonly conditions: readonly Condition[];
  /** Programs in each condition. */
  readonly asked: number;
  readonly command: string;
}

/** The models that come with the page. */
export const exhibits = file as unknown as readonly Exhibit[];

/** Fetches the weights of one, for a worker. @throws Error where they cannot be loaded. */
export async function weightsFile(id: string): Promise<Uint8Array> {
  const response = await fetch(new URL(`models/${id}.safetensors`, import.meta.url));
  if (!response.ok) throw new Error(`could not load the weights (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
}

/** @throws Error for another name. */
export function exhibitNamed(id: string): Exhibit {
  const found = exhibits.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no model is called ${id}`);
  return found;
}

/** A model that scores 95 % on its training configuration fits it (src/schemas/convergence.ts). */
const LEARNED = 0.95;

/** The sparsest sessions that it was trained on and has learned; undefined where that is none. */
export function sparsestLearned({ conditions }: Exhibit): Condition | undefined {
  return conditions.filter(({ asTrained, accuracy }) => asTrained && accuracy >= LEARNED).at(-1);
}

/** The text about a model until it has answered. */
export function standing(
  exhibit: Exhibit,
  session: { readonly swaps: number; readonly spacing: number; readonly full: boolean },
): string {
  const learned = sparsestLearned(exhibit);
  if (learned === undefined) return "Did not fit its training data; its answers are not evidence.";
  const known = `Fits sessions of ${learned.commands} swaps that reveal ${learned.full ? "all variables" : "one variable"} every ${learned.spacing === 1 ? "swap" : `${learned.spacing} swaps`}.`;
  const denser = session.spacing <= learned.spacing && (session.full || !learned.full);
  const shorter = session.swaps <= learned.commands;
  if (denser && shorter) return `${known} This session is in that range.`;
  if (denser) return `${known} This session is longer.`;
  return `${known} This session reveals less${shorter ? "" : " and is longer"}.`;
}
