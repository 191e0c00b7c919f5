/** @file Each value is a shell under its variable, so that a swap is visible as two shells that change places. */

import { type Swap, VARIABLES } from "./session.ts";

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
