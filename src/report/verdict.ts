/**
 * @file What the numbers allow one to say, in sentences. Nothing here is written for one outcome: each sentence is chosen
 * by the numbers it states.
 *
 *     DeltaNet [-1,1] tracks to 48 commands; the others do not
 *     No model tracks to 48 commands
 *     LSTM tracks to 48 commands; DeltaNet [-1,1] in 3 of 5 seeds; the others do not
 *     DeltaNet [-1,1] tracks to 48 commands; Transformer had not learned the densest reveals in this budget
 *
 * A model is compared only where it has learned what it was trained on. Who is below 95 % at the densest reveals of its training
 * has shown nothing of what it can hold: of it is said that it had not learned, never that it does not track.
 */

import { counted, listed, percent, percentSign, points } from "../math/format.ts";
import {
  type Cell,
  type Condition,
  type ModelSummary,
  rowHolds,
  type Summary,
  TOLERANCE,
} from "./summary.ts";

const BAR = `${TOLERANCE * 100} points`;

export interface Verdict {
  /** The finding, without a full stop. */
  readonly title: string;
  /** The numbers behind it. */
  readonly lead: string;
  /** What the experiment cannot decide, if there is such a thing. */
  readonly caution: string | undefined;
}

export function verdict(summary: Summary): Verdict {
  return { title: title(summary), lead: lead(summary), caution: caution(summary) };
}

/** At the densest reveals that were trained, in every seed. */
const LEARNED = 0.95;

function hasLearned(model: ModelSummary, conditions: readonly Condition[]): boolean {
  const [densest] = conditions
    .filter(({ asTrained }) => asTrained)
    .toSorted((a, b) => a.spacing - b.spacing || a.commands - b.commands);
  const cell = densest && cellAt(model, densest);
  return cell === undefined || cell.rows.every(({ accuracy }) => accuracy >= LEARNED);
}

function title({ models, hardest, conditions }: Summary): string {
  const always = models.filter((model) => tracks(model));
  const sometimes = models.filter((model) => !tracks(model) && model.tracking.length > 0);
  const never = models.filter((model) => model.tracking.length === 0);
  const lost = never.filter((model) => hasLearned(model, conditions));
  const unlearned = never.filter((model) => !lost.includes(model));
  const reach = `to ${counted(hardest.commands, "command")}`;
  const notLearned = "had not learned the densest reveals in this budget";
  if (unlearned.length === models.length)
    return models.length === 1
      ? `${models[0]!.label} ${notLearned}`
      : "No model had learned the densest reveals in this budget";
  if (never.length === models.length && unlearned.length === 0)
    return models.length === 1 ? `${models[0]!.label} does not track ${reach}` : `No model tracks ${reach}`;
  if (always.length === models.length && models.length > 2)
    return `All ${models.length} models track ${reach}`;
  const clauses: string[] = [];
  if (always.length > 0)
    clauses.push(`${labels(always)} ${always.length === 1 ? "tracks" : "track"} ${reach}`);
  for (const model of sometimes) {
    const verb = clauses.length === 0 ? ` tracks ${reach}` : "";
    clauses.push(`${model.label}${verb} in ${model.tracking.length} of ${model.seeds.length} seeds`);
  }
  if (lost.length > 0) {
    const others = lost.length > 1 && unlearned.length === 0 && clauses.length > 0;
    const verb = clauses.length === 0 ? ` track ${reach}` : "";
    clauses.push(`${others ? "the others" : labels(lost)} ${lost.length === 1 ? "does" : "do"} not${verb}`);
  }
  if (unlearned.length > 0) clauses.push(`${labels(unlearned)} ${notLearned}`);
  return clauses.join("; ");
}

function lead({ models, hardest, window, chance }: Summary): string {
  const reached = models.flatMap((model) => {
    const cell = cellAt(model, hardest);
    return cell === undefined ? [] : [`${percentSign(cell.accuracy.mean)}${range(cell)} for ${model.label}`];
  });
  const trained = hardest.asTrained ? "" : ", a shape that was never trained,";
  const seeds = Math.max(...models.map((model) => model.seeds.length));
  const what = seeds === 1 ? "accuracy" : `mean accuracy over ${seeds} seeds (lowest to highest)`;
  return (
    `Over ${counted(hardest.commands, "command")} with a reveal every ${every(hardest)}${trained} ${what} is ${listed(reached)}. ` +
    `The exact Bayes filter reaches ${percentSign(hardest.exact)}, a filter that sees only the last ` +
    `${counted(window, "command")} ${percentSign(hardest.windowed)}, guessing ${percentSign(chance)}.`
  );
}

/** A model proves a memory longer than the window only where the windowed filter cannot follow the exact one. */
function caution({ conditions, hardest, window }: Summary): string | undefined {
  const telling = conditions.filter(tellsApart);
  const memory = `remembering the last ${counted(window, "command")}`;
  if (telling.length === 0) {
    return `No condition tested here tells tracking from ${memory}: the windowed filter is within ${BAR} of the exact one everywhere.`;
  }
  if (tellsApart(hardest)) return undefined;
  return `At ${hardest.key} alone tracking cannot be told from ${memory}; at ${listed(telling.map(({ key }) => key))} it can.`;
}

/** Where a model holds and where it first breaks, in a few words for a figure's subtitle. */
export function standingShort(model: ModelSummary, conditions: readonly Condition[]): string {
  if (tracks(model)) return conditions.length === 1 ? "holds" : `holds all ${conditions.length} conditions`;
  if (model.tracking.length > 0)
    return `holds all in ${model.tracking.length} of ${model.seeds.length} seeds`;
  const broken = model.cells.find((cell) => !cell.holds);
  if (broken === undefined) return `not tested in all ${conditions.length} conditions`;
  if (!hasLearned(model, conditions))
    return `not learned: ${percentSign(broken.accuracy.mean)} at ${broken.condition.key}`;
  return `breaks at ${broken.condition.key}: ${percentSign(broken.accuracy.mean)}`;
}

/** The same as full sentences, with the distance to the windowed filter in the hardest condition. */
export function standing(model: ModelSummary, { conditions, hardest }: Summary): string {
  const sentences: string[] = [];
  const held = model.cells.filter((cell) => cell.holds);
  const broken = model.cells.find((cell) => !cell.holds);
  if (broken === undefined) {
    const lowest = model.cells.toSorted((a, b) => a.accuracy.mean - b.accuracy.mean)[0]!;
    const where = `${counted(model.cells.length, "condition")} it was tested in`;
    sentences.push(
      `Within ${BAR} of the exact filter in ${model.cells.length === 1 ? "the one condition it was tested in" : `all ${where}`}; ` +
        `lowest ${percentSign(lowest.accuracy.mean)} at ${lowest.condition.key}.`,
    );
    if (model.cells.length < conditions.length)
      sentences.push(`Not tested at ${untested(model, conditions)}.`);
  } else if (model.tracking.length > 0) {
    sentences.push(mixed(model));
  } else {
    const kept =
      held.length === 0
        ? "Holds no condition"
        : `Holds ${listed(held.map(({ condition }) => condition.key))}`;
    const first = broken.condition.asTrained ? ", although programs of this shape were in training" : "";
    sentences.push(
      `${kept}; breaks first at ${broken.condition.key}${first}: ${percentSign(broken.accuracy.mean)}${range(broken)} ` +
        `where the exact filter has ${percentSign(broken.exact)}.`,
    );
    if (!hasLearned(model, conditions)) {
      sentences.push(
        "It had not learned the densest reveals in this budget, so this says nothing of what it can hold.",
      );
    }
    if (model.seeds.length > 1) sentences.push(`None of ${model.seeds.length} seeds holds every condition.`);
  }
  const last = cellAt(model, hardest);
  const subject = model.seeds.length > 1 ? "the mean" : "it";
  if (last !== undefined) sentences.push(`At ${hardest.key} ${subject} is ${againstWindow(last)}.`);
  return sentences.join(" ");
}

/** Some seeds track and some do not: each that does not, with its own first loss, for a mean would describe none of them. */
function mixed(model: ModelSummary): string {
  const lost = model.seeds
    .filter((seed) => !model.tracking.includes(seed))
    .map((seed) => {
      const rows = model.cells.flatMap((cell) =>
        cell.rows.filter((row) => row.seed === seed).map((row) => ({ row, cell })),
      );
      const broken = rows.find(({ row }) => !rowHolds(row));
      if (broken === undefined) return `seed ${seed} was not tested in every condition`;
      return `seed ${seed} breaks first at ${broken.cell.condition.key} (${percentSign(broken.row.accuracy)})`;
    });
  const count = model.tracking.length;
  return `${count} of ${model.seeds.length} seeds ${count === 1 ? "holds" : "hold"} every condition; ${listed(lost)}.`;
}

/** Where along the programs of these conditions the model falls behind: at once, or at a command. Empty if nowhere, or not in every seed. */
export function fallsBehind(model: ModelSummary, conditions: readonly Condition[]): string {
  const breaks = conditions.flatMap((condition) => {
    const cell = cellAt(model, condition);
    const command = cell === undefined ? undefined : breakingCommand(cell);
    return command === undefined ? [] : [{ command, condition }];
  });
  if (breaks.length === 0 || model.tracking.length > 0) return "";
  if (breaks.every(({ command, condition }) => command === condition.spacing)) {
    return `It is more than ${BAR} below the exact filter at the first reveal already at ${listed(breaks.map(({ condition }) => condition.key))}.`;
  }
  const places = breaks.map(({ command, condition }) => `command ${command} at ${condition.key}`);
  return `It first falls more than ${BAR} behind at ${listed(places)}.`;
}

/** The command before the first reveal at which mean accuracy is more than 5 points below the exact filter's. */
export function breakingCommand({ byReveal, condition, exact }: Cell): number | undefined {
  const first = byReveal.findIndex(({ mean }) => mean < exact - TOLERANCE);
  const onePerStretch = byReveal.length === Math.floor(condition.commands / condition.spacing);
  return first === -1 || !onePerStretch ? undefined : (first + 1) * condition.spacing;
}

export const tracks = (model: ModelSummary) => model.tracking.length === model.seeds.length;

export function cellAt(model: ModelSummary, condition: Condition): Cell | undefined {
  return model.cells.find((cell) => cell.condition.key === condition.key);
}

function againstWindow(cell: Cell): string {
  const difference = cell.accuracy.mean - cell.windowed;
  if (points(difference) === points(0)) return "level with the windowed filter";
  return `${points(difference)} ${difference > 0 ? "above" : "below"} the windowed filter`;
}

function untested(model: ModelSummary, conditions: readonly Condition[]): string {
  return listed(
    conditions.filter((condition) => cellAt(model, condition) === undefined).map(({ key }) => key),
  );
}

function range({ accuracy }: Cell): string {
  if (accuracy.values.length === 1 || percent(accuracy.min) === percent(accuracy.max)) return "";
  return ` (${percent(accuracy.min)}\u2013${percent(accuracy.max)})`;
}

const every = ({ spacing }: Condition) => (spacing === 1 ? "command" : `${spacing} commands`);
const labels = (models: readonly ModelSummary[]) => listed(models.map(({ label }) => label));
const tellsApart = ({ exact, windowed }: Condition) => windowed < exact - TOLERANCE;
