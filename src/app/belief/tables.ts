/** @file The tables of `statelab belief`. */

import type {
  Decay,
  EntropyBounds,
  Estimate,
  MarginalAdversary,
  Mistake,
  ReferenceRow,
} from "../../analysis/belief/index.ts";
import { indexPairs } from "../../core/permutation-walk.ts";
import type { Table } from "../../report/text-table.ts";
import { VARIABLES } from "../../tasks/repl/vocabulary.ts";

export interface Row extends Decay {
  readonly setting: { readonly spacing: number; readonly probability?: number; readonly file?: string };
  readonly bounds?: EntropyBounds;
  readonly reference?: ReferenceRow;
  readonly deviations?: Readonly<Record<string, number>>;
}

const estimated = ({ mean, standardError }: Estimate, digits: number) =>
  `${mean.toFixed(digits)} ±${standardError.toFixed(digits)}`;

/** In standard errors; what is rounded to nothing has no sign. */
const signed = (errors: number) => errors.toFixed(1).replace(/^-(0\.0)$/, "$1");

const nameOf = ({ setting }: Row) => [setting.file ?? `p ${setting.probability}`, `r ${setting.spacing}`];

/** Nats a reveal; below each row what the reference says, and the difference in standard errors of both. */
export function natsTable(rows: readonly Row[]): Table {
  const filters = rows[0].filters.map(({ filter }) => filter);
  return {
    columns: ["nats per reveal", "", ...filters],
    rows: rows.flatMap((row) => {
      const own = [...nameOf(row), ...row.filters.map(({ nats }) => estimated(nats, 4))];
      const { reference, deviations } = row;
      if (reference === undefined) return [own];
      const published: Readonly<Record<string, number>> = reference.nats;
      return [
        own,
        ["", "reference", ...filters.map((filter) => published[filter]?.toFixed(3))],
        [
          "",
          "difference",
          ...filters.map((filter) =>
            deviations?.[filter] === undefined ? undefined : signed(deviations[filter]),
          ),
        ],
      ];
    }),
  };
}

/** Mean distance between what is stated and what comes true, in points of a hundred. */
export function calibrationTable(rows: readonly Row[]): Table {
  const filters = rows[0].filters.map(({ filter }) => filter);
  return {
    columns: ["calibration error", "", ...filters],
    rows: rows.map((row) => [
      ...nameOf(row),
      ...row.filters.map(({ calibration }) => `${(100 * calibration.error).toFixed(2)} %`),
    ]),
  };
}

/** The decay of ln(mass) next to the independently computed entropy rate. */
export function massTable(rows: readonly Row[]): Table {
  const bounded = rows.some(({ bounds }) => bounds !== undefined);
  return {
    columns: [
      ...[
        "mass",
        "",
        "log10 per reveal",
        "reference",
        "nats per reveal",
        "entropy rate elsewhere",
        "difference",
      ],
      ...(bounded ? ["by listing"] : []),
    ],
    rows: rows.map((row) => {
      const { massSlope, entropyRate, bounds } = row;
      const error = Math.hypot(massSlope.standardError, entropyRate.standardError);
      const gap = error === 0 ? 0 : (massSlope.mean - entropyRate.mean) / error;
      return [
        ...nameOf(row),
        (-massSlope.mean / Math.LN10).toFixed(4),
        row.reference?.log10Mass.toFixed(3),
        estimated(massSlope, 4),
        estimated(entropyRate, 4),
        signed(gap),
        ...(bounds === undefined ? [] : [`${bounds.lower.toFixed(4)} to ${bounds.upper.toFixed(4)}`]),
      ];
    }),
  };
}

/** Reveals until the joint filter loses digits, states and all. */
export function underflowTable(rows: readonly Row[]): Table {
  const reveals = (count: number) => (Number.isFinite(count) ? count : "never");
  return {
    columns: [
      ...["underflow after", "", "precision", "normal: predicted", "measured"],
      ...["every state: measured", "mass: predicted", "measured"],
    ],
    rows: rows.flatMap((row) =>
      row.underflow.map(({ precision, predicted, measured }, i) => [
        ...(i === 0 ? nameOf(row) : ["", ""]),
        precision,
        reveals(predicted.normal),
        measured && estimated(measured.normal, 1),
        measured && estimated(measured.everyState, 1),
        reveals(predicted.alive),
        measured && estimated(measured.alive, 1),
      ]),
    ),
  };
}

/** How the worst error grows, and the worst sequence of each rule. */
export function adversaryTables(found: readonly MarginalAdversary[]): Table[] {
  const lengths = found.flatMap(({ growth }) => growth.map(({ length }) => length));
  const longest = Math.max(...found.map(({ setting }) => setting.length));
  const shown = [...new Set([...lengths, longest])].toSorted((one, other) => one - other);
  const errorAt = (growth: readonly Mistake[], length: number) =>
    (growth.findLast((mistake) => mistake.length <= length)?.error ?? 0).toFixed(2);
  return [
    {
      columns: ["worst error, nats", ...found.map(({ setting }) => setting.rule)],
      rows: [
        ...shown.map((length) => [`${length} events`, ...found.map(({ growth }) => errorAt(growth, length))]),
        ["nats per event, second half", ...found.map(({ nearSlope }) => nearSlope.toFixed(3))],
      ],
    },
    {
      columns: ["rule", "certain", "stated", "after"],
      rows: found.flatMap(({ setting, growth }) => {
        const worst = growth.at(-1);
        if (worst === undefined) return [];
        const certain = `${VARIABLES[worst.variable]} = ${worst.value + 1}`;
        return [[setting.rule, certain, worst.share.toPrecision(3), described(worst, setting.variables)]];
      }),
    },
  ];
}

/** `ab a=1 bc`: maybe swap a and b, a is revealed to hold 1, maybe swap b and c. */
export function described({ events }: Mistake, variables: number): string {
  const pairs = indexPairs(variables).map(([i, j]) => `${VARIABLES[i]}${VARIABLES[j]}`);
  return events
    .map((event) =>
      event.kind === "act" ? pairs[event.action] : `${VARIABLES[event.question]}=${event.answer + 1}`,
    )
    .join(" ");
}
