/** @file Which of the page's models is looked at; it stands in the address as `model`. */

import { setSettings } from "../address.ts";
import type { Exhibit } from "../shell-game/exhibits.ts";

export function ModelChoice(props: { readonly models: readonly Exhibit[]; readonly chosen: Exhibit }) {
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
