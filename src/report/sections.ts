/** @file The parts of an experiment's report: checks, task, training curves, published claims, how to run it again. */

import { duration, formatCount, measured, percent } from "../core/format.ts";
import { binomialInterval } from "../core/incomplete-beta.ts";
import { mean, studentInterval } from "../core/statistics.ts";
import { LEARNED } from "../schemas/convergence.ts";
import type {
  Check,
  Claim,
  ExperimentResult,
  Machine,
  Measurement,
  Sample,
} from "../schemas/experiment-result.ts";
import { grouped, spread } from "./aggregate.ts";
import { trainingFigure } from "./figures/training.ts";
import { cards, caution, command, facts, list, muted, paragraph, plainTable, section } from "./html.ts";
import { sampleTrace } from "./sample.ts";
import { type Child, element, type Markup } from "./svg.ts";

/** Every model of the result, those that the experiment names first; the position chooses its colour. */
export function modelOrder({
  models,
  results,
  measurements,
  training,
}: Pick<ExperimentResult, "models" | "results" | "measurements" | "training">): string[] {
  const present = new Set([...results, ...measurements, ...training].map(({ model }) => model));
  return [...new Set([...Object.keys(models).filter((name) => present.has(name)), ...present])];
}

export function labelOf(result: ExperimentResult, name: string): string {
  return Object.hasOwn(result.models, name) ? result.models[name]!.label : name;
}

export const smokeBanner = ({ scale }: Pick<ExperimentResult, "scale">): Markup | null =>
  scale === "smoke"
    ? caution(
        "Smoke scale trains tiny models for seconds, to test that every part runs. Its numbers are not results.",
      )
    : null;

export function taskSection(result: ExperimentResult): Markup {
  const labels = Object.values(result.models).map(({ label, summary }) => [
    element("strong", {}, label),
    summary === "" ? "" : ` \u2014 ${summary}`,
  ]);
  return section(
    "The task",
    paragraph(result.question),
    result.sample === undefined ? null : sampleOf(result.sample, result.training.length > 0),
    labels.length === 0
      ? null
      : [paragraph(result.training.length > 0 ? "The models:" : "Compared:"), list(labels)],
  );
}

function sampleOf(sample: Sample, trained: boolean): Child {
  const reader = trained ? "One program, as the model reads it." : "One program.";
  return [
    paragraph(
      `${reader} Framed: the values to predict from everything above. Between two reveals nothing shows the state.`,
    ),
    element("div", { class: "card flow" }, sampleTrace(sample)),
  ];
}

export function trainingSection(result: ExperimentResult): Markup {
  const heading = "Training curves";
  const curves = result.training.filter(({ points }) => points.length > 0);
  if (curves.length === 0) return section(heading, muted("No training curves were recorded."));
  const order = modelOrder(result);
  const lastStep = Math.max(1, ...curves.flatMap(({ points }) => points.map(({ step }) => step)));
  const figures = [...grouped(curves, ({ setting, model }) => `${setting}\0${model}`).values()]
    .toSorted((a, b) => order.indexOf(a[0]!.model) - order.indexOf(b[0]!.model))
    .map((own) => {
      const { setting, model } = own[0]!;
      const label = [labelOf(result, model), setting].filter((part) => part !== "").join(", ");
      const chance = result.results.find((row) => row.setting === setting)?.tested.chance ?? 0;
      return trainingFigure(label, order.indexOf(model), own, lastStep, chance);
    });
  return section(heading, cards(figures, TRAINING_CAPTION));
}

export const TRAINING_CAPTION =
  "Running accuracy (%) on the reveals of the training batches. The strip shows the stages of the curriculum.";

/** An arXiv number becomes a link; nothing else of a record ever does. */
function sourced(source: string): Child[] {
  const number = /arXiv[: ]\s?(\d{4}\.\d{4,5})/i.exec(source)?.[1];
  if (number === undefined) return [source];
  const at = source.indexOf(number);
  return [
    source.slice(0, at),
    element("a", { href: `https://arxiv.org/abs/${number}`, rel: "noreferrer" }, number),
    source.slice(at + number.length),
  ];
}

export const findingsSection = ({ findings }: ExperimentResult): Markup =>
  section(
    "Expectations not met",
    findings.length === 0 ? paragraph("Every recorded expectation is met.") : list(findings),
  );

/** Runs that are missing from the result. */
export const failuresSection = ({ failures = [] }: ExperimentResult): Markup | null =>
  failures.length === 0 ? null : section("Runs that failed", list(failures));

export const checkColumns = ["expectation", "expected", "measured", "interval or range", "met"] as const;

/** One row an expectation, in words. */
export const checkRow = ({ name, expected, met, ...measured }: Check) => {
  const claim = { over: "mean", ...measured } as const;
  return [
    name,
    expected,
    quantity(claim, mean(measured.values)),
    spreadText(claim) ?? "\u2013",
    met === "inconclusive" ? met : met ? "yes" : "no",
  ] as const;
};

/** `LSTM at 96/48: 71.9 % (65.2 % to 78.6 %, Student); expected at least 95 %` */
export function checkText(check: Check): string {
  const [name, expected, value, interval] = checkRow(check);
  const unsure = check.met === "inconclusive" ? "; inconclusive" : "";
  return `${name}: ${value}${interval === "\u2013" ? "" : `, ${interval}`}; expected ${expected}${unsure}`;
}

/** A table of expectations; absent where there is none. */
export function checksSection({ checks = [] }: Pick<ExperimentResult, "checks">): Markup | null {
  if (checks.length === 0) return null;
  return section("Expected and measured", plainTable({ columns: checkColumns, rows: checks.map(checkRow) }));
}

/** `AMD EPYC, 2 cores, 24 GiB, linux x64, Node v20.1.0` */
export const machineWords = ({ processor, cores, memoryGiB, platform, node }: Machine) =>
  `${processor}, ${formatCount(cores, "core")}, ${memoryGiB} GiB, ${platform}, Node ${node}`;

export function againSection(result: ExperimentResult): Markup {
  return section(
    "Run it again",
    command(result.command),
    facts([
      ["Scale", result.scale],
      [result.seeds.length === 1 ? "Seed" : "Seeds", result.seeds.join(", ")],
      ["Device", result.device],
      ["Took", `${duration(result.seconds)} (${Math.round(result.seconds)} s)`],
      ["Date", result.date],
      ["Machine", result.machine === undefined ? "not recorded" : machineWords(result.machine)],
      ["Report", result.report],
    ]),
  );
}

/** Published and measured values, one row per claim. */
export function claimsSection({ claims, scale, seeds }: ExperimentResult): Markup {
  if (claims.length === 0)
    return section("Published and measured", muted("Nothing published is recorded for this experiment."));
  const kinds = Object.entries(spreadWords).map(([kind, words]) => `(${kind}) ${words}`);
  return section(
    "Published and measured",
    paragraph(
      `Measured at ${scale} scale, ${seeds.length === 1 ? "one seed" : `${seeds.length} seeds`}; small: ${kinds.join("; ")}.`,
    ),
    plainTable(
      {
        columns: ["", "published", "measured"],
        rows: claims.map((claim): Child[] => [
          [
            ...[claim.statement, " "],
            element(
              "small",
              { class: "muted" },
              ...[
                "(",
                sourced(claim.source),
                ")",
                claim.here === undefined ? "" : ` Measured: ${claim.here}.`,
              ],
              ...(claim.unlike === undefined ? [] : [` Not comparable: ${claim.unlike}.`]),
            ),
          ],
          claim.published === undefined ? "in words" : quantity(claim, claim.published),
          measuredText(claim),
        ]),
      },
      1,
      undefined,
      "claims",
    ),
  );
}

function measuredText(claim: Claim): Child[] {
  const value = claimValue(claim);
  if (value === undefined) return ["\u2013"];
  const text = quantity(claim, value);
  const spread = spreadText(claim);
  return spread === undefined ? [text] : [text, element("small", {}, spread)];
}

/** The seeds as one number: their mean, or the best; undefined where nothing was measured. */
export function claimValue({ over, values }: Pick<Claim, "over" | "values">): number | undefined {
  if (values.length === 0) return undefined;
  return over === "best" ? Math.max(...values) : mean(values);
}

/** The meaning of the two numbers after a value; `spreadWords` explains each kind. */
export interface ClaimSpread {
  readonly kind: "Student" | "normal" | "range" | "solved";
  readonly bounds: readonly [low: number, high: number];
}

export const spreadWords: Readonly<Record<ClaimSpread["kind"], string>> = {
  Student: "Student\u2019s 95 % confidence interval of the mean over seeds",
  normal: "95 % confidence interval of one seed, 1.96 standard errors to each side",
  range: "lowest to highest seed",
  solved: "seeds that score at least 95 %, and the exact 95 % confidence interval of their share",
};

const NORMAL = 1.96;
/** With fewer seeds Student's interval mostly shows its own assumption, that seeds are normally distributed. */
const LEAST_SEEDS = 5;
/** Shares further apart than this are of two kinds of seeds, and their mean describes none. */
const HALF = 1 / 2;

type Measured = Pick<Claim, "over" | "unit" | "values" | "errors">;

/** undefined for one seed without a standard error, or if nothing was measured. For seeds that do not vary it is the range. */
export function claimSpread({ over, unit, values, errors }: Measured): ClaimSpread | undefined {
  const [value, error] = [values[0], errors?.[0]];
  if (values.length === 1 && value !== undefined && error !== undefined)
    return { kind: "normal", bounds: [value - NORMAL * error, value + NORMAL * error] };
  if (values.length < 2) return undefined;
  const varies = values.some((each) => each !== value);
  const range = { kind: "range", bounds: [Math.min(...values), Math.max(...values)] } as const;
  if (over === "best" || !varies) return range;
  const solved = values.filter((each) => each >= LEARNED).length;
  const isBimodal = Math.max(...values) - Math.min(...values) > HALF;
  if (unit === "share" && isBimodal && solved > 0)
    return { kind: "solved", bounds: binomialInterval(solved, values.length) };
  if (values.length < LEAST_SEEDS || isBimodal) return range;
  const [low, high] = studentInterval(values);
  // No share is above 1, and none that is scaled or a difference is below -1.
  return { kind: "Student", bounds: unit === "share" ? [Math.max(-1, low), Math.min(1, high)] : [low, high] };
}

/** `65.2 % to 100.0 % (Student)` */
export function spreadText(claim: Measured): string | undefined {
  const spread = claimSpread(claim);
  if (spread === undefined) return undefined;
  const { values } = claim;
  const count = `: ${values.filter((each) => each >= LEARNED).length} of ${values.length}`;
  const bounds = spread.bounds.map((each) => quantity(claim, each)).join(" to ");
  return `${bounds} (${spread.kind}${spread.kind === "solved" ? count : ""})`;
}

/** A share as percent, anything else with four digits. */
export function quantity({ unit }: Pick<Claim, "unit">, value: number): string {
  return unit === "share" ? `${percent(value)} %` : measured(value);
}

/** In the order in which things were measured. */
export function measurementTables(result: ExperimentResult) {
  const order = modelOrder(result);
  // `words`: how many columns, from the left, are words and not numbers.
  // `name`: the id.
  return [...grouped(result.measurements, ({ name }) => name)].map(([name, own]) => {
    const settings = [...new Set(own.map(({ setting }) => setting))];
    const places = [...new Set(own.flatMap(({ at }) => Object.keys(at)))];
    const numbers = [...new Set(own.flatMap(({ values }) => Object.keys(values)))];
    const notes = own.some(({ note }) => note !== undefined);
    const models = new Set(own.map(({ model }) => model)).size > 1;
    const labels = result.labels[name];
    const several = settings.some((setting) => setting !== "");
    const rows = [...grouped(own, identity).values()].toSorted(
      ([a], [b]) =>
        settings.indexOf(a!.setting) - settings.indexOf(b!.setting) ||
        order.indexOf(a!.model) - order.indexOf(b!.model),
    );
    return {
      name,
      label: labels?.label ?? name,
      words: Math.max(1, Number(several) + Number(models)),
      table: {
        columns: [
          ...(several ? ["setting"] : []),
          ...(models ? ["model"] : []),
          ...places.map((place) => labels?.at[place] ?? place),
          ...numbers.map((number) => labels?.values[number] ?? number),
          ...(notes ? ["note"] : []),
        ],
        rows: rows.map((seeds) => {
          const [first] = seeds as [Measurement, ...Measurement[]]; // a group has a member
          return [
            ...(several ? [first.setting] : []),
            ...(models ? [labelOf(result, first.model)] : []),
            ...places.map((place) => String(first.at[place] ?? "")),
            ...numbers.map((number) => overSeeds(seeds.flatMap(({ values }) => values[number] ?? []))),
            ...(notes ? [first.note ?? ""] : []),
          ];
        }),
      },
    };
  });
}

const identity = ({ setting, model, at }: Measurement) => JSON.stringify([setting, model, at]);

function overSeeds(values: readonly number[]): string {
  if (values.length === 0) return "";
  const { mean, min, max } = spread(values);
  const [low, high] = [measured(min), measured(max)];
  return low === high ? measured(mean) : `${measured(mean)} (${low}\u2013${high})`;
}
