/** @file Components that several views use: a region that scrolls, the choice of a model, a curve. */

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
  if (parts.length === 0) return <p class="muted">{title}: nothing was recorded yet.</p>;
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
