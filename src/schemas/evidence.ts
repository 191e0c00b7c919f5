/**
 * @file Evidence: the last measurements of an experiment, which outlive the run folders. `docs/results/` and `evidence/README.md` are
 * generated from them.
 *
 *     evidence/NAME/SCALE.json    its command, seeds, claims and checks
 *     evidence/NAME/rows.jsonl    at laptop scale, what they are computed from: one line per model, seed and test, or per measurement
 *
 *     {"label":"deltanet[-1,1]","setting":"","seed":0,"model":"deltanet","loss":"next-token","settings":{"betaMax":2,...},"steps":1100,
 *      "test":{"commands":48,"spacing":24},"correct":979,"total":1000,...,"commit":"1f41fb5"}
 */

import { z } from "zod";
import { unlearned } from "./convergence.ts";
import { Claim, ExperimentResult, Measurement, ResultRow, TrainingCurve } from "./experiment-result.ts";

/** A model in one setting, over its seeds: results beyond the training count only if it learned the training. */
export const Trained = z.strictObject({
  setting: z.string(),
  model: z.string(),
  /** The last curriculum stage that every seed reached, from 1. */
  stage: z.int(),
  stages: z.int(),
  /** Lowest and highest mean accuracy among the tests as trained; absent without such tests. */
  lowest: z.number().optional(),
  highest: z.number().optional(),
  /** The lowest accuracy of a seed in the test with the lowest mean. */
  lowestSeed: z.number().optional(),
  /** Number of seeds that have not learned it, and of all seeds (convergence.ts). */
  unlearned: z.strictObject({ seeds: z.int(), of: z.int() }).optional(),
});
export type Trained = z.infer<typeof Trained>;

const RowKey = ResultRow.pick({ setting: true, seed: true }).extend({
  /** The model as the experiment names it: `deltanet[-1,1]`. */
  label: z.string(),
});

/** One model and seed on one test. */
const TestRow = z.strictObject({
  ...RowKey.shape,
  ...TrainingCurve.shape.run.unwrap().partial().shape,
  ...TrainingCurve.pick({ parameters: true, learningRate: true, steps: true, stages: true }).partial().shape,
  /** Training examples. */
  examples: z.int().optional(),
  /** Those until the running accuracy of the batches was 50, 90 and 99 %, as far as it came. */
  until: z.array(z.int()).max(3).optional(),
  /** Seconds of the training steps. */
  seconds: z.number().optional(),
  machine: z.string().optional(),
  /** Change of the trained task. */
  test: z.record(z.string(), z.unknown()),
  name: z.string(),
  asTrained: z.boolean(),
  chance: z.number(),
  programs: z.int(),
  /** Right answers, of all. */
  correct: z.int(),
  total: z.int(),
  /** Shares of right answers: to the last reveal of each program, and by position of the reveal. */
  last: z.number(),
  byReveal: z.array(z.number()).optional(),
  ...ResultRow.pick({ references: true, nats: true }).partial().shape,
});
export type TestRow = z.infer<typeof TestRow>;

const MeasurementRow = z.strictObject({
  ...RowKey.shape,
  measured: z.string(),
  ...Measurement.pick({ at: true, values: true, note: true }).shape,
});

export const EvidenceRow = z.union([TestRow, MeasurementRow]);
export type EvidenceRow = z.infer<typeof EvidenceRow>;

/** The rows of a result. Shares are rounded to six digits. */
export function rowsOf({ results, measurements, training, machine }: ExperimentResult): EvidenceRow[] {
  const machineName = machine && `${machine.processor}, ${machine.cores} cores, ${machine.platform}`;
  const tests = results.map(({ setting, model: label, seed, tested, ...found }): TestRow => {
    const curve = training.find(
      (each) => each.setting === setting && each.model === label && each.seed === seed,
    );
    const { change: test, name, asTrained, chance, programs, reveals: total } = tested;
    return {
      ...{ label, setting, seed },
      ...curve?.run,
      ...(curve && {
        ...{ parameters: curve.parameters, learningRate: curve.learningRate, seconds: curve.seconds },
        ...(curve.stages && { stages: curve.stages }),
        ...trainedSteps(curve),
      }),
      ...(machineName !== undefined && { machine: machineName }),
      ...{ test, name, asTrained, chance, programs, correct: Math.round(found.accuracy * total), total },
      ...{ last: found.accuracyLast, byReveal: found.accuracyByReveal, references: found.references },
      ...(found.nats && { nats: found.nats }),
    };
  });
  const measured = measurements.map(({ setting, model: label, seed, name, ...row }) => ({
    ...{ label, setting, seed, measured: name },
    ...row,
  }));
  return z.array(EvidenceRow).parse(JSON.parse(JSON.stringify([...tests, ...measured], sixDigits)));
}

/** A run may end before its configured steps. */
function trainedSteps({ points, steps: configured, batch }: TrainingCurve) {
  const steps = points.at(-1)?.step ?? configured;
  if (batch === undefined) return { steps };
  const until = REACHED.flatMap((share) => points.find(({ accuracy }) => accuracy >= share)?.step ?? []);
  return { steps, examples: steps * batch, until: until.map((step) => step * batch) };
}

const REACHED = [0.5, 0.9, 0.99];

const sixDigits = (_: string, value: unknown) =>
  typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;

/** The inverse of `rowsOf`. A training curve has the points of `until` alone, without a loss. */
export function resultOf(
  rows: readonly EvidenceRow[],
): Pick<ExperimentResult, "results" | "measurements" | "training"> {
  const results: ResultRow[] = [];
  const measurements: Measurement[] = [];
  const training: TrainingCurve[] = [];
  for (const row of rows) {
    const { label: model, setting, seed } = row;
    if ("measured" in row) {
      const { measured: name, label: _, ...own } = row;
      measurements.push({ ...own, model, name });
      continue;
    }
    const { test: change, name, asTrained, chance, programs, correct, total: reveals } = row;
    results.push({
      ...{ setting, model, seed, tested: { name, change, programs, reveals, asTrained, chance } },
      ...{ accuracy: correct / reveals, accuracyLast: row.last, accuracyByReveal: row.byReveal ?? [] },
      ...{ references: row.references ?? {}, ...(row.nats && { nats: row.nats }) },
    });
    const isKnown = training.some(
      (each) => each.setting === setting && each.model === model && each.seed === seed,
    );
    const { parameters, learningRate, steps, seconds, stages, examples, until = [] } = row;
    if (isKnown || parameters === undefined || steps === undefined) continue;
    const batch = examples === undefined ? undefined : examples / steps;
    training.push({
      ...{ setting, model, seed, parameters, learningRate: learningRate ?? 0, steps, seconds: seconds ?? 0 },
      ...{ batch, ...(stages && { stages }) },
      points: until.map((seen, i) => ({
        ...{ step: seen / batch!, accuracy: REACHED[i], loss: Number.NaN, stage: "" },
      })),
    });
  }
  return { results, measurements, training };
}

export const EvidenceEntry = z.strictObject({
  version: z.literal(1),
  ...ExperimentResult.pick({
    experiment: true,
    question: true,
    command: true,
    date: true,
    scale: true,
    seeds: true,
    device: true,
    machine: true,
    seconds: true,
    findings: true,
    checks: true,
  }).shape,
  claims: z.array(Claim),
  /** Accuracy of the models on their training; like `machine`, absent in older entries. */
  trained: z.array(Trained).optional(),
  /** Later changes of the experiment that alter the numbers of the command; written by hand. */
  outdated: z.string().optional(),
});
export type EvidenceEntry = z.infer<typeof EvidenceEntry>;

/** An entry with its rows; older entries, and those of other scales, have none. */
export interface Evidence extends EvidenceEntry {
  readonly rows: readonly EvidenceRow[];
}

export const testRows = ({ rows }: Evidence): TestRow[] =>
  rows.flatMap((row) => ("measured" in row ? [] : [row]));

/** Smoke scale and the quick budget are no evidence. */
export function toEvidence(result: ExperimentResult): Evidence | undefined {
  if (result.scale === "smoke" || result.budget === "quick") return undefined;
  const entry = EvidenceEntry.strip().parse({ ...result, trained: trainedIn(result), version: 1 });
  return { ...entry, rows: result.scale === "laptop" ? rowsOf(result) : [] };
}

function trainedIn(result: ExperimentResult): Trained[] {
  const { results, training } = result;
  const parts = new Map(training.map((curve) => [`${curve.setting}\0${curve.model}`, curve]));
  return [...parts.values()].flatMap(({ setting, model }): Trained[] => {
    const isOwn = (each: { readonly setting: string; readonly model: string }) =>
      each.setting === setting && each.model === model;
    const stages = training.filter(isOwn).flatMap((curve) => curve.stages ?? []);
    const [first] = stages;
    if (first === undefined) return [];
    const own = results.filter((row) => isOwn(row) && row.tested.asTrained);
    const tests = [...new Set(own.map(({ tested }) => tested.name))]
      .map((name) => own.flatMap(({ tested, accuracy }) => (tested.name === name ? [accuracy] : [])))
      .toSorted((a, b) => mean(a) - mean(b));
    return [
      {
        ...{ setting, model },
        stage: Math.min(...stages.map(({ reached }) => reached)),
        stages: first.of,
        ...(tests.length > 0 && {
          lowest: mean(tests[0]!),
          highest: mean(tests.at(-1)!),
          lowestSeed: Math.min(...tests[0]!),
        }),
        unlearned: { seeds: unlearned(result, { setting, model }).length, of: stages.length },
      },
    ];
  });
}

/** The newer of two entries of one experiment and scale; the later argument if both are of one day. */
export function newerEvidence(before: Evidence | undefined, found: Evidence): Evidence {
  return before === undefined || before.date <= found.date ? found : before;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
