/** @file What a report is: a page, figures that stand alone, and a table for the terminal. */

import type { PlainTable } from "./accuracy-table.ts";

export interface Report {
  /** One self-contained HTML file. */
  readonly page: string;
  /** SVG files by name. */
  readonly figures: Readonly<Record<string, string>>;
  readonly table: PlainTable;
  /** What the columns of the table mean, a line each. */
  readonly legend: readonly string[];
}
