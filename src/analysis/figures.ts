/** @file Figures and the parts of a page as plain data. `src/report` draws them. */

import type { HeadPlace } from "./recording.ts";

export type Figure =
  | ({ readonly kind: "matrix" } & MatrixFigure)
  | ({ readonly kind: "distribution" } & DistributionFigure)
  | ({ readonly kind: "attention" } & AttentionFigure)
  | ({ readonly kind: "scatter" } & ScatterFigure)
  | LinesFigure;

export type Point = readonly [x: number, y: number];

/** Names of the columns and rows of cells. */
export interface CellNames {
  readonly title: string;
  readonly rowLabel: string;
  readonly columnLabel: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
}

export interface MatrixFigure extends CellNames {
  /** [row][column]; undefined where nothing was measured. */
  readonly cells: readonly (readonly (number | undefined)[])[];
  /** The palest and the darkest value. */
  readonly from: number;
  readonly to: number;
  readonly digits: number;
}

export interface DistributionFigure {
  readonly title: string;
  readonly xLabel: string;
  /** Start of the axis, 0 by default. */
  readonly from?: number;
  readonly to: number;
  readonly classes: readonly {
    readonly name: string;
    readonly mean: number;
    /** Over equal ranges of [from, to]. */
    readonly counts: readonly number[];
  }[];
}

export interface AttentionFigure {
  readonly title: string;
  readonly tokens: readonly string[];
  /** Tokens at which a line begins. */
  readonly starts: readonly number[];
  /** Tokens at which the model is asked. */
  readonly questions: readonly number[];
  /** map[t][s] is the share that token t gives to token s <= t. */
  readonly map: readonly (readonly number[])[];
}

export interface ScatterFigure {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** Kinds of points, each with its own color and marker as far as these go. */
  readonly kinds: readonly string[];
  readonly points: readonly { readonly x: number; readonly y: number; readonly kind: number }[];
  /** Drawn thin through these points, in order. */
  readonly joined?: readonly Point[];
}

export interface Line {
  readonly label: string;
  /** Chooses colour, dash and marker: the same for one model in all figures of a report. */
  readonly index: number;
  /** One list of [x, share] a seed, all over the same x. */
  readonly seeds: readonly { readonly seed: number; readonly points: readonly Point[] }[];
}

export interface LinesFigure {
  readonly kind: "lines";
  readonly title: string;
  readonly xLabel: string;
  /** log2 spreads 1, 2, 4, 8 evenly. */
  readonly scale: "linear" | "log2";
  readonly lines: readonly Line[];
  /** Reachable without tracking: drawn as an area. */
  readonly window?: { readonly label: string; readonly points: readonly Point[] };
  /** A uniform guess; 0 where accuracy is scaled. */
  readonly chance: number;
  /** A vertical rule: `trained to 32`. */
  readonly mark?: { readonly x: number; readonly label: string };
}

export interface Part {
  readonly heading: string;
  /** The question and the method: paragraphs. */
  readonly how: readonly string[];
  /** By name, which becomes a file's. */
  readonly figures: Readonly<Record<string, Figure>>;
  readonly caption: string;
  /** The findings, in words that follow from the numbers. */
  readonly meaning: readonly string[];
  /** How sure that is, in addition to the caution of the analysis. */
  readonly caution?: string;
  readonly table?: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
}

/** Heads as they are named everywhere on the page: both counted from 0. */
export const headName = ({ layer, head }: HeadPlace) => `layer ${layer}, head ${head}`;
export const shortHead = ({ layer, head }: HeadPlace) => `${layer}.${head}`;
