/**
 * @file What `reproduce` prints of a finished experiment.
 *
 *     the report's table and its legend
 *     what was measured of each model        samples until every held-out answer was right ...
 *       ! what was not as expected
 *     4 min. Open runs/state-parity/report.html in a browser.
 */

import { relative } from "node:path";
import { duration } from "../core/format.ts";
import { measurementTables, type Report } from "../report/index.ts";
import { textTable } from "../report/text-table.ts";
import type { ExperimentResult } from "../schemas/experiment-result.ts";

export function inWords(
  { table, legend }: Pick<Report, "table" | "legend">,
  result: ExperimentResult,
): string {
  return [
    "",
    textTable(table),
    "",
    ...legend,
    "",
    ...measuredInWords(result),
    ...result.findings.map((finding) => `  ! ${finding}`),
    `${duration(result.seconds)}. Open ${relative(process.cwd(), result.report)} in a browser.`,
  ].join("\n");
}

/** What was measured of each model as a whole, beside accuracies; what was measured at many places stands on the page. */
function measuredInWords(result: ExperimentResult): string[] {
  if (result.results.length === 0) return []; // then they are the table above
  const measurements = result.measurements.filter(({ at }) => Object.keys(at).length === 0);
  return measurementTables({ ...result, measurements }).flatMap(({ label, table }) => [
    `${label}; with several seeds their mean (lowest\u2013highest)`,
    "",
    textTable(table),
    "",
  ]);
}
