/** @file Parts of the shell game: the shells of a session, and the measured accuracy of a model. */

import type { Exhibit } from "./demo-models.ts";
import { type Swap, VARIABLES } from "./session.ts";

export function Measured({ models: shown }: { readonly models: readonly Exhibit[] }) {
  const name = ({ commands, spacing, full }: Exhibit["conditions"][number]) =>
    `${commands} swaps, ${full ? "all" : "one"} every ${spacing}`;
  return (
    <div class="flow">
      <table>
        <caption>
          Percent right. * the model was not trained on sessions like these, or its curriculum did not come to
          them.
        </caption>
        <thead>
          <tr>
            <th>session</th>
            {shown.map(({ id, label }) => (
              <th key={id}>{label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown[0].conditions.map((condition, i) => (
            <tr key={name(condition)}>
              <th scope="row">{name(condition)}</th>
              {shown.map(({ id, conditions }) => (
                <td key={id}>
                  {(100 * conditions[i].accuracy).toFixed(1)}
                  {conditions[i].asTrained ? "" : " *"}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">parameters</th>
            {shown.map(({ id, parameters }) => (
              <td key={id}>{parameters.toLocaleString("en")}</td>
            ))}
          </tr>
          <tr>
            <th scope="row">programs trained on</th>
            {shown.map(({ id, programs }) => (
              <td key={id}>{programs.toLocaleString("en")}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
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
