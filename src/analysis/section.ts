/** @file One part of the page of an analysis, as plain data: a question, figures, what they mean. The report draws it. */

import type { Figure } from "./figures.ts";
import type { HeadPlace } from "./intervention.ts";

export interface Part {
  readonly heading: string;
  /** The question and the method: paragraphs. */
  readonly how: readonly string[];
  /** By name, which becomes a file's. */
  readonly figures: Readonly<Record<string, Figure>>;
  readonly caption: string;
  /** The findings, in words that follow from the numbers. */
  readonly meaning: readonly string[];
  /** How sure that is, and what it does not say. */
  readonly caution?: string;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** Heads as they are named everywhere on the page: both counted from 0. */
export const headName = ({ layer, head }: HeadPlace) => `layer ${layer}, head ${head}`;
export const shortHead = ({ layer, head }: HeadPlace) => `${layer}.${head}`;
