/** @file The measured accuracy of the models of the shell game. */

import { integer } from "../../src/core/format.ts";
import { listColumns, SummaryTable } from "../parts/records.tsx";
import type { Exhibit } from "./demo-models.ts";

export function Measured({ models: shown }: { readonly models: readonly Exhibit[] }) {
  const name = ({ commands, spacing, full }: Exhibit["conditions"][number]) =>
    `${commands} swaps, ${full ? "all" : "one"} revealed every ${spacing}`;
  return (
    <SummaryTable
      label="Test accuracy"
      caption="Test accuracy in percent. *: outside the training configuration, or beyond the curriculum stage reached."
      first="session"
      name={([session]) => session}
      rows={[
        ...shown[0].conditions.map((condition, i) => [
          name(condition),
          ...shown.map(({ conditions: { [i]: own } }) => {
            return `${(100 * own.accuracy).toFixed(1)}${own.asTrained ? "" : " *"}`;
          }),
        ]),
        ["parameters", ...shown.map(({ parameters }) => integer(parameters))],
        ["training sessions", ...shown.map(({ programs }) => integer(programs))],
      ]}
      columns={listColumns(shown.map(({ label }) => label))}
    />
  );
}
