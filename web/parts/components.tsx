/** @file Components that several views use: a region that scrolls, lists to choose from, steps through time. */

import type { ComponentChildren } from "preact";
import { setSettings } from "../address.ts";

export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll it (axe: scrollable-region-focusable)
    <section class="flow" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** For the `ref` of what a click opened, which may be below the screen. */
export const bringIntoView = (opened: Element | null) => opened?.scrollIntoView();

/** Where the numbers of a view come from. */
export const Sources = ({ children }: { readonly children: ComponentChildren }) => (
  <details>
    <summary>Method and sources</summary>
    {children}
  </details>
);

export interface SelectProps {
  readonly label: string;
  readonly value: string | number;
  readonly options: readonly (string | number | readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

/** A drop-down list. A number that is none of its options is one more. */
export function Select({ label, value, options, onChange }: SelectProps) {
  const all = typeof value === "number" ? [...new Set([...options, value])] : options;
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {all.map((option) => {
          const [own, text] = typeof option === "object" ? option : [option, option];
          return (
            <option key={own} value={own}>
              {text}
            </option>
          );
        })}
      </select>
    </label>
  );
}

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
    <Select
      label="Model"
      value={chosen.id}
      options={models.map(({ id, label }) => [id, label] as const)}
      onChange={(model) => setSettings({ ...other, model })}
    />
  );
}

/** Steps from 0 to `last`: one back, one on, a slider; `first` are buttons before these, `more` behind the arrows. */
export function Transport(props: {
  readonly at: number;
  readonly last: number;
  readonly go: (to: number) => void;
  /** `line` */
  readonly unit: string;
  readonly slider: string;
  readonly first?: ComponentChildren;
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { at, last, go, unit, slider, first, more, children } = props;
  return (
    <div class="transport">
      {first}
      <button type="button" onClick={() => go(at - 1)} disabled={at === 0} aria-label={`One ${unit} back`}>
        ←
      </button>
      <button
        type="button"
        onClick={() => go(at + 1)}
        disabled={at >= last}
        aria-label={`One ${unit} forward`}
      >
        →
      </button>
      {more}
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label={slider}
        onInput={({ currentTarget }) => go(Number(currentTarget.value))}
      />
      {children}
    </div>
  );
}

/** A setting of the address that is on or off; the setting `reset` is cleared by a change. */
type CheckProps = Readonly<Record<"label" | "setting" | "value", string>> & {
  chosen: string | undefined;
  reset?: string;
};
export function Check({ label, setting, value, chosen, reset = setting }: CheckProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={chosen === value}
        onChange={({ currentTarget }) =>
          setSettings({ [reset]: undefined, [setting]: currentTarget.checked ? value : undefined })
        }
      />{" "}
      {label}
    </label>
  );
}

/** Probabilities of variables by values. Those that differ from `exact` by more than `within` are marked. */
export function Shares(props: {
  readonly names: readonly string[];
  readonly shares: readonly (readonly number[])[];
  readonly exact: readonly (readonly number[])[];
  readonly within?: number;
}) {
  const { names, shares, exact, within = 0.01 } = props;
  return (
    <table class="belief shares">
      <thead>
        <tr>
          <td />
          {names.map((name, value) => (
            <th key={name} scope="col">
              {value + 1}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {names.map((name, i) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {shares[i].map((share, value) => (
              <td key={value} class={Math.abs(share - exact[i][value]) > within ? "off" : undefined}>
                <svg viewBox="0 0 80 46" aria-hidden="true">
                  <rect width="80" height="46" rx="4" fill-opacity={0.5 * share} />
                </svg>
                <span>{(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Downloads a file. */
export function save(name: string, content: string | Uint8Array | Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content as BlobPart])); // its bytes have no other owner
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The page's styles of a drawing, for its file. It has the light colors as values: not every viewer knows var(). */
export function plainStyles(selector: string): string {
  const rules = [...document.styleSheets]
    .flatMap(({ cssRules }) => [...cssRules])
    .filter((rule) => rule instanceof CSSStyleRule);
  const colors = rules.find(({ selectorText }) => selectorText === ":root")!.style; // page.css begins with it
  const own = rules
    .filter(({ selectorText }) => selectorText.startsWith(selector))
    .map(({ cssText }) => cssText.replace(/var\((.+?)\)/g, (_, name) => colors.getPropertyValue(name)))
    .map((text) => text.replace(/light-dark\((.+?),.+?\)/g, "$1"));
  return `text { font-family: sans-serif; } ${own.join(" ")}`;
}
