/** @file Which of the page's models is looked at; it stands in the address as `model`. */

import { setSettings } from "../address.ts";

interface Named {
  readonly id: string;
  readonly label: string;
}

/** `without`: settings that are of the model that was chosen before. */
export function ModelChoice(props: {
  readonly models: readonly Named[];
  readonly chosen: Named;
  readonly without?: readonly string[];
}) {
  const { models, chosen, without = [] } = props;
  const other = Object.fromEntries(without.map((name) => [name, undefined]));
  return (
    <label>
      Model{" "}
      <select
        value={chosen.id}
        onChange={({ currentTarget }) => setSettings({ ...other, model: currentTarget.value })}
      >
        {models.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
