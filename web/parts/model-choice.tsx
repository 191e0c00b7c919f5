/** @file Which of the page's models is looked at; it stands in the address as `model`. */

import { setSettings } from "../address.ts";

interface Named {
  readonly id: string;
  readonly label: string;
}

export function ModelChoice(props: { readonly models: readonly Named[]; readonly chosen: Named }) {
  const { models, chosen } = props;
  return (
    <label>
      Model{" "}
      <select value={chosen.id} onChange={({ currentTarget }) => setSettings({ model: currentTarget.value })}>
        {models.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
