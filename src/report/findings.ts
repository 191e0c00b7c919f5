/**
 * @file What the numbers allow one to say, in sentences. Nothing here is written for one outcome: each sentence is chosen
 * by the numbers it states.
 *
 *     DeltaNet [-1,1] and LSTM hold to 48 commands with a reveal every 24; DeltaNet [0,1] to a reveal every 2 commands
 *     LSTM holds to 96 commands with a reveal every 48 in 4 of 5 seeds; DeltaNet [-1,1] to 48 commands with a reveal every 24
 *     DeltaNet [-1,1] holds to 48 commands with a reveal every 24; Transformer had not learned the densest reveals in this budget
 *
 * Of several seeds is said as far as most of them come, and of how many that is true.
 *
 * A model is compared only where it has learned what it was trained on. Who is below 95 % at the densest reveals of its training
 * has shown nothing of what it can hold: of it is said that it had not learned, never that it does not track.
 */

import { counted, listed, percent, percentSign, points } from "../core/format.ts";
import {
  type Cell,
  type Condition,
  grouped,
  type ModelSummary,
  rowHolds,
  type Summary,
  TOLERANCE,
} from "./aggregate.ts";

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

const NOT_LEARNED = "had not learned the densest reveals in this budget";

function title({ models, conditions }: Summary): string {
  const learned = models.filter((model) => model.learned);
  const unlearned = models.filter((model) => !model.learned);
  if (learned.length === 0)
    return models.length === 1
      ? `${models[0]!.label} ${NOT_LEARNED}`
      : `No model ${NOT_LEARNED.replace(" not", "")}`;
  const [shortest] = conditions;
  const told = learned
    .map((model) => ({ model, ...reachOfMost(model.reach, conditions) }))
    .toSorted((a, b) => rank(b.reach, conditions) - rank(a.reach, conditions) || b.share - a.share);
  const wordsFor = ({ reach, seeds }: (typeof told)[number]) =>
    `${reach === undefined ? "no condition" : inWords(reach, shortest!)}${seeds}`;
  const clauses = [...grouped(told, wordsFor)].map(([words, own], i) => {
    const verb = i > 0 ? "" : own.length === 1 ? " holds" : " hold";
    const all = own.length === models.length && models.length > 2;
    return `${all ? `All ${models.length} models` : labels(own.map(({ model }) => model))}${verb} to ${words}`;
  });
  if (unlearned.length > 0) clauses.push(`${labels(unlearned)} ${NOT_LEARNED}`);
  return clauses.join("; ");
}

/** Where a reach stands among the conditions; -1 for none. */
const rank = (reach: Condition | undefined, conditions: readonly Condition[]) =>
  reach === undefined ? -1 : conditions.indexOf(reach);

/** As far as more than half of the seeds come, and of how many that is true where not of all. */
function reachOfMost(reach: ModelSummary["reach"], conditions: readonly Condition[]) {
  const descending = reach.toSorted((a, b) => rank(b, conditions) - rank(a, conditions));
  const most = descending[Math.floor(reach.length / 2)];
  const there = reach.filter((each) => rank(each, conditions) >= rank(most, conditions)).length;
  const seeds = there === reach.length ? "" : ` in ${there} of ${reach.length} seeds`;
  return { reach: most, seeds, share: there / reach.length };
}

/** Sessions as long as the shortest are those of the training: of them only how often they reveal is said. */
function inWords({ commands, spacing, reveal }: Condition, shortest: Condition): string {
  const what = reveal === "full" ? "full reveals" : "a reveal";
  const often = spacing === 1 ? `${what} after every command` : `${what} every ${spacing}`;
  if (commands === shortest.commands) return spacing === 1 ? often : `${often} commands`;
  return `${counted(commands, "command")} with ${often}`;
}

function lead({ models, hardest, window, chance }: Summary): string {
  const reached = models.flatMap((model) => {
    const cell = cellAt(model, hardest);
    const not = model.learned ? "" : " (not learned in this budget)";
    return cell === undefined
      ? []
      : [`${percentSign(cell.accuracy.mean)}${range(cell)} for ${model.label}${not}`];
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
  if (tracks(model, conditions))
    return conditions.length === 1 ? "holds" : `holds all ${conditions.length} conditions`;
  const whole = tracking(model, conditions).length;
  if (whole > 0) return `holds all in ${whole} of ${model.seeds.length} seeds`;
  const broken = model.cells.find((cell) => !cell.holds);
  if (broken === undefined) return `not tested in all ${conditions.length} conditions`;
  const accuracy = percentSign(broken.accuracy.mean);
  return model.learned
    ? `holds until ${broken.condition.key}: ${accuracy}`
    : `not learned: ${accuracy} at ${broken.condition.key}`;
}

/** The same as full sentences, with the distance to the windowed filter in the hardest condition. */
export function standing(model: ModelSummary, { conditions, hardest }: Summary): string {
  const sentences: string[] = [];
  const last = cellAt(model, hardest);
  if (!model.learned && tracking(model, conditions).length === 0) {
    const at = last === undefined ? "" : ` At ${hardest.key} it has ${percentSign(last.accuracy.mean)}.`;
    return `It ${NOT_LEARNED}, so nothing is said of what it can hold.${at}`;
  }
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
  } else if (tracking(model, conditions).length > 0) {
    sentences.push(mixed(model, conditions));
  } else {
    const kept =
      held.length === 0
        ? "Holds no condition"
        : `Holds ${listed(held.map(({ condition }) => condition.key))}`;
    const first = broken.asTrained ? ", although programs of this shape were in training" : "";
    sentences.push(
      `${kept}; breaks first at ${broken.condition.key}${first}: ${percentSign(broken.accuracy.mean)}${range(broken)} ` +
        `where the exact filter has ${percentSign(broken.exact)}.`,
    );
    if (model.seeds.length > 1) sentences.push(`None of ${model.seeds.length} seeds holds every condition.`);
  }
  const subject = model.seeds.length > 1 ? "the mean" : "it";
  if (last !== undefined) sentences.push(`At ${hardest.key} ${subject} is ${againstWindow(last)}.`);
  return sentences.join(" ");
}

/** Some seeds track and some do not: each that does not, with its own first loss, for a mean would describe none of them. */
function mixed(model: ModelSummary, conditions: readonly Condition[]): string {
  const whole = tracking(model, conditions);
  const lost = model.seeds
    .filter((seed) => !whole.includes(seed))
    .map((seed) => {
      const rows = model.cells.flatMap((cell) =>
        cell.rows.filter((row) => row.seed === seed).map((row) => ({ row, cell })),
      );
      const broken = rows.find(({ row }) => !rowHolds(row));
      if (broken === undefined) return `seed ${seed} was not tested in every condition`;
      return `seed ${seed} breaks first at ${broken.cell.condition.key} (${percentSign(broken.row.accuracy)})`;
    });
  const count = whole.length;
  return `${count} of ${model.seeds.length} seeds ${count === 1 ? "holds" : "hold"} every condition; ${listed(lost)}.`;
}

/** Where along the programs of these conditions the model falls behind: at once, or at a command. Empty if nowhere, or not in every seed. */
export function fallsBehind(
  model: ModelSummary,
  conditions: readonly Condition[],
  all: readonly Condition[],
): string {
  const breaks = conditions.flatMap((condition) => {
    const cell = cellAt(model, condition);
    const command = cell === undefined ? undefined : breakingCommand(cell);
    return command === undefined ? [] : [{ command, condition }];
  });
  if (breaks.length === 0 || !model.learned || tracking(model, all).length > 0) return "";
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

/** The seeds that hold every condition. */
function tracking({ seeds, reach, cells }: ModelSummary, conditions: readonly Condition[]): number[] {
  if (cells.length < conditions.length) return [];
  return seeds.filter(
    (seed, i) =>
      reach[i] === conditions.at(-1) &&
      cells.every(({ rows }) => rows.some((row) => row.seed === seed && rowHolds(row))),
  );
}

const tracks = (model: ModelSummary, conditions: readonly Condition[]) =>
  tracking(model, conditions).length === model.seeds.length;

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
