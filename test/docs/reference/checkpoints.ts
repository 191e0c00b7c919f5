/** @file docs/reference/checkpoints.md: models exchanged with other libraries, each with the largest difference of its logits. */

import { type InteropRow, interopCases, parseRows, rowOf } from "../../python/interop-cases.ts";
import { page } from "../docs.test-helper.ts";
import { code, generated, table } from "./markdown.ts";

function readRows(): InteropRow[] {
  const rows = parseRows(page("test/python/interop.jsonl"));
  return interopCases.map((each) => {
    const row = rowOf(rows, each);
    if (row !== undefined) return row;
    throw new Error(`no row of ${each.class}, ${each.what}: INTEROP=write npm run soak -- test/python`);
  });
}

const shown = (difference: number) => difference.toExponential(1).replace("e-", "e−");
const libraryOf = (row: InteropRow) => `${row.package} ${row.version}`;

/** Rows of one class, in the columns of the first table. */
function summary(rows: readonly InteropRow[]): string[] {
  const equal = rows.filter((row) => row.difference !== undefined);
  const model = equal[0]?.model;
  return [
    model === undefined ? "none" : `[${code(model)}](models.md#${model})`,
    code(rows[0].class),
    ...["export", "import"].map((way) => (equal.some((row) => row.way === way) ? "yes" : "no")),
    equal.length === 0 ? "" : shown(Math.max(...equal.map((row) => row.difference ?? 0))),
    libraryOf(rows[0]),
  ];
}

export function checkpointsPage(): string {
  const rows = readRows();
  const classes = [...new Set(rows.map((row) => row.class))];
  return generated(
    "Checkpoints of other libraries",
    "These are the models that `statelab export --to hf` and `statelab import` exchange with transformers and flash-linear-attention. [Import and export models](../how-to/import-export.md) has the commands.",
    "The classes of these libraries ran on a CPU. Models have 2 layers of width 32 and random weights. Each difference is the largest one of the logits of 2 x 23 tokens, computed in float32.",
    table(
      ["architecture", "public class", "export", "import", "largest difference", "version"],
      classes.map((kind) => summary(rows.filter((row) => row.class === kind))),
    ),
    "## Exported models",
    "The class loads them without a missing or unexpected tensor.",
    table(
      ["public class", "our model", "settings", "difference"],
      rows.flatMap((row) =>
        row.way === "import"
          ? []
          : [[code(row.class), code(row.model ?? ""), row.what, shown(row.difference ?? Number.NaN)]],
      ),
    ),
    "## Imported checkpoints",
    "The class saved them. A checkpoint that no model here computes exactly is refused.",
    table(
      ["public class", "checkpoint", "result"],
      rows.flatMap((row) =>
        row.way === "export"
          ? []
          : [
              [
                code(row.class),
                row.what,
                row.refused === undefined
                  ? shown(row.difference ?? Number.NaN)
                  : `refused: ${code(row.refused)}`,
              ],
            ],
      ),
    ),
    "## Repeat it",
    "```\npython3 -m pip install --target test/python/packages -r test/python/requirements.txt\nnpm run soak -- test/python\n```",
    "`test/python/interop-cases.ts` has one line for each row of these tables.",
  );
}
