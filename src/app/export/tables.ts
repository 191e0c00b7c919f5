/** @file Tables as files: Parquet, and LaTeX for the package booktabs. */

import { parquetWriteBuffer } from "hyparquet-writer";
import type { Table } from "../../report/text-table.ts";
import { columnsOf, type Row } from "../../schemas/formats/csv.ts";

/** A missing cell is null. */
export function parquet(rows: readonly Row[]): Uint8Array {
  const columnData = columnsOf(rows).map((name) => {
    const cells = rows.map((row) => row[name] ?? null);
    if (cells.some((cell) => typeof cell === "string"))
      return { name, type: "STRING" as const, data: cells.map((cell) => (cell === null ? null : `${cell}`)) };
    const isInt32 = cells.every((cell) => cell === null || Object.is(cell, Number(cell) | 0));
    return { name, type: isInt32 ? ("INT32" as const) : ("DOUBLE" as const), data: cells };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

/** A tabular, with remarks as comments. The first two columns are text. */
export function latex({ columns, rows }: Table, remarks: readonly string[]): string {
  const line = (cells: readonly unknown[]) =>
    `${columns.map((_, i) => latexText(String(cells[i] ?? ""))).join(" & ")} \\\\\n`;
  return [
    ...["\\usepackage{booktabs}", ...remarks].map((remark) => `% ${remark.replaceAll(/\s+/g, " ")}\n`),
    `\\begin{tabular}{ll${"r".repeat(columns.length - 2)}}\n\\toprule\n`,
    `${line(columns)}\\midrule\n${rows.map(line).join("")}\\bottomrule\n\\end{tabular}\n`,
  ].join("");
}

/** Braces keep [ and * from being read as arguments of the line end before them. */
const latexText = (text: string) =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[\\{}$&#%_^~<>[*–−]/g, (character) => escapes[character]);

const escapes: Readonly<Record<string, string>> = {
  ...Object.fromEntries([..."{}$&#%_"].map((character) => [character, `\\${character}`])),
  ...{ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}" },
  ...{ "<": "\\textless{}", ">": "\\textgreater{}", "[": "{[}", "*": "{*}", "–": "--", "−": "$-$" },
};
