/** @file Parts of the shell game: the shells of a session, and the measured accuracy of a model. */

import { integer } from "../../src/core/format.ts";
import { listColumns, SummaryTable } from "../parts/records.tsx";
import type { Exhibit } from "./demo-models.ts";
import { type Swap, VARIABLES } from "./session.ts";

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

export function Shells({
  held,
  swap,
}: {
  readonly held: readonly number[];
  readonly swap: Swap | undefined;
}) {
  const words = VARIABLES.map((name, i) => `${name} is ${held[i]}`).join(", ");
  return (
    <div class="shells" role="img" aria-label={words}>
      {VARIABLES.map((name) => (
        <span key={name} class={`slot${swap?.includes(name) ? " moved" : ""}`}>
          {name}
        </span>
      ))}
      {[1, 2, 3].map((value) => (
        <span key={value} class={`shell at${held.indexOf(value)}`}>
          {value}
        </span>
      ))}
    </div>
  );
}
