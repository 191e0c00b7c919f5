/** @file Components that several views use: a region that scrolls, lists to choose from, steps through time, a curve. */

import type { ComponentChildren } from "preact";
import { formatList, integer } from "../../src/core/format.ts";
import { setSettings } from "../address.ts";

export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll it (axe: scrollable-region-focusable)
    <section class="flow" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

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

interface CurveProps {
  readonly title: string;
  /** [first step, least, greatest]. */
  readonly parts: readonly (readonly [number, number, number])[];
  /** Bounds of the axis; those of the values where they are left out. */
  readonly from?: number;
  readonly to?: number;
  readonly format: (value: number) => string;
  /** Steps at which something began, and what that is: a line each. */
  readonly marks?: { readonly steps: readonly number[]; readonly title: string };
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 200, 60, 470, 12, 172];

export function Curve({ title, parts, format, marks, ...bounds }: CurveProps) {
  if (parts.length === 0) return <p class="muted">{title}: no data yet.</p>;
  const from = bounds.from ?? Math.min(...parts.map(([, least]) => least));
  const highest = bounds.to ?? Math.max(...parts.map(([, , greatest]) => greatest));
  const to = highest > from ? highest : from + 1;
  const first = parts[0][0];
  const last = Math.max(first + 1, parts.at(-1)![0]);
  const x = (step: number) => LEFT + ((step - first) / (last - first)) * (RIGHT - LEFT);
  const y = (value: number) =>
    BOTTOM - ((Math.min(to, Math.max(from, value)) - from) / (to - from)) * (BOTTOM - TOP);
  const point = (px: number, py: number) => `${px.toFixed(1)} ${py.toFixed(1)}`;
  const upper = parts.map(([step, , greatest]) => point(x(step), y(greatest)));
  const lower = parts.map(([step, least]) => point(x(step), y(least))).reverse();
  const said = `${title}, from ${format(parts[0][2])} at step ${first} to ${format(parts.at(-1)![2])} at step ${parts.at(-1)![0]}`;
  return (
    <figure class="card">
      <figcaption>{title}</figcaption>
      <svg class="curve" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={said}>
        {[from, (from + to) / 2, to].map((value) => (
          <g key={value}>
            <line class="rule" x1={LEFT} x2={RIGHT} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {marks?.steps
          .filter((step) => step > first && step <= last)
          .map((step) => (
            <line key={step} class="mark" x1={x(step)} x2={x(step)} y1={TOP} y2={BOTTOM} />
          ))}
        <path class="band" d={`M${[...upper, ...lower].join("L")}Z`} />
        <text x={LEFT} y={HEIGHT - 8}>
          step {first.toLocaleString("en")}
        </text>
        <text x={RIGHT} y={HEIGHT - 8} text-anchor="end">
          {parts.at(-1)![0].toLocaleString("en")}
        </text>
      </svg>
      {marks !== undefined && marks.steps.length > 0 && (
        <p class="muted">
          Dashed: {marks.title} ({formatList(marks.steps.map(integer))}).
        </p>
      )}
    </figure>
  );
}
