/**
 * @file The automaton that a model behaves like: hidden states in clusters, a table of transitions, the minimal machine.
 *
 *     hidden state       residual of the last layer at the end of each command, in clusters (k-means); for a model with states
 *                        itself (sr-gru) its current state
 *     next(c, letter)    the cluster that most often follows cluster c on that command
 *     says(c)            the model's most frequent answer there; for a task that does not ask after every command the
 *                        state that a linear map most often reads there, fitted on the other half of the programs
 *     consistency        share of steps that go, and say, as the table does; clusters that no word tells apart count as one
 *     collapse           mean distance of hidden states of one true state / of different ones: 0 one point a state, 1 no order at all
 *
 * The start is a separate state that says nothing; the initial values of a program are a separate letter,
 * read once. A model's own states come first; while the table is not consistent in 99 % of steps, clusters follow, twice as many each
 * time. Whether the machine is the true one is decided for words of every length, by the product of the two.
 * Source: Giles et al. 1992, Neural Computation 4:3; Weiss et al. 2018, arXiv:1711.09576.
 */

import { z } from "zod";
import { formatCount, formatList, integer, percentSign } from "../core/format.ts";
import { kMeans, squaredDistance } from "../core/k-means.ts";
import {
  agreementOnWords,
  alikeStates,
  difference,
  type MooreMachine,
  minimised,
} from "../core/moore-machine.ts";
import type { Rng } from "../core/rng.ts";
import { defineAnalysis, hasCommands, hasTap, ownStates } from "./analysis.ts";
import type { Part } from "./figures.ts";
import { type LabelledWalks, labelWalks, NOTHING } from "./labelled-walks.ts";
import { layersWith, type Recording, rowAt, type Tap } from "./recording.ts";

const Extraction = z.strictObject({
  letters: z.array(z.string()),
  /** Those of them that a program begins with: its first values. */
  beginnings: z.array(z.string()).default([]),
  saidBy: z.enum(["answers", "probe"]).default("answers"),
  /** Groups of hidden states: clusters of k-means, or the states of the model itself. */
  by: z.enum(["clusters", "states"]).default("clusters"),
  /** How many of them there are. */
  clusters: z.int(),
  consistency: z.number(),
  /** Besides the start, and besides the state of what no program does: a command before the first values, those twice. */
  states: z.int(),
  trueStates: z.int(),
  equivalent: z.boolean(),
  /** A shortest word on which the two differ, if they do. */
  counterexample: z.array(z.string()).optional(),
  /** Both machines run on every word up to a length. */
  words: z.strictObject({ words: z.int(), length: z.int(), agreeing: z.int() }),
  collapse: z.number(),
  /** The minimal machine: start is state 0; outputs are values, "" where nothing is said. */
  machine: z.strictObject({ next: z.array(z.array(z.int())), output: z.array(z.string()) }),
});
export type Extraction = z.infer<typeof Extraction>;

export const automaton = defineAnalysis({
  name: "automaton",
  summary: "the automaton that the model behaves like, from clusters of hidden states",
  caution:
    "The automaton describes steps of these programs. It says nothing about longer words, on which the model may fail.",
  found: Extraction,
  needs: [hasTap("residual", "the model has no hidden states"), ownStates, hasCommands],
  measure: ({ recording, rng }) => extractAutomaton(recording, rng),
  part: partOf,
});

const CLUSTERS = [2, 4, 8, 16, 32, 64, 128];
const CONSISTENT = 0.99;
const PAIRS = 20_000;
/** Words that both machines are run on, at most. */
const WORDS = 100_000;

/** One step of a program: from the end of a command (or the start) over a letter to the end of the next. */
interface Step {
  /** Index of the hidden state before; undefined at the start. */
  readonly before: number | undefined;
  readonly letter: number;
  readonly after: number;
}

interface Table extends Pick<Extraction, "by" | "clusters"> {
  readonly table: ReturnType<typeof tableOf>;
}

/** A sentence where the programs give none: their state is moved by chance, or has more values than there are clusters. */
export function extractAutomaton(recording: Recording, rng: Rng): Extraction | string {
  const saying = labelWalks(recording);
  if (typeof saying === "string") return saying;
  const { letters, beginnings, walks, machine: trueOne, names } = saying;
  const most = CLUSTERS.at(-1)!;
  const held = trueOne.output.filter((said) => said !== NOTHING).length;
  if (held > most) return `the programs have ${held} states, more than the maximum of ${most} clusters`;
  const layer = layersWith(recording, "residual").at(-1)!; // one has it: `needs`
  const places: [program: number, token: number][] = [];
  const points: Float32Array[] = [];
  const says: number[] = [];
  const truth: string[] = [];
  const steps: Step[] = [];
  for (const { program, visits } of walks) {
    for (const [n, { token, letter, said, state }] of visits.entries()) {
      steps.push({ before: n === 0 ? undefined : points.length - 1, letter, after: points.length });
      places.push([program, token]);
      points.push(rowAt(recording.taps[`layers.${layer}.residual`], program, token));
      says.push(said);
      truth.push(state);
    }
  }
  const trueMachine = minimised(trueOne);
  const tables = function* (): Generator<Table> {
    const own = statesTap(recording, layer);
    if (own !== undefined) {
      const states = own.shape[2];
      const state = Int32Array.from(places, ([program, token]) => largest(rowAt(own, program, token)));
      const table = tableOf(steps, state, says, states, letters.length);
      yield { by: "states", clusters: new Set(state).size, table };
    }
    for (const clusters of CLUSTERS) {
      const cluster = kMeans(points, clusters, rng.fork(clusters));
      const table = tableOf(steps, cluster, says, clusters, letters.length);
      yield { by: "clusters", clusters, table };
    }
  };
  let best: Table | undefined;
  for (const each of tables()) {
    if (best === undefined || each.table.consistency > best.table.consistency) best = each;
    if (best.table.consistency >= CONSISTENT) break;
  }
  const { by, clusters, table } = best!; // there are several numbers of clusters
  const machine = minimised(table.machine);
  const word = difference(machine, trueMachine);
  // A machine that says nothing has neither a start of its own nor a state behind wrong beginnings.
  const statesOf = ({ output }: typeof machine) => Math.max(0, output.length - (beginnings > 0 ? 2 : 1));
  return {
    letters: [...letters],
    beginnings: letters.slice(0, beginnings),
    saidBy: saying.by,
    by,
    clusters,
    consistency: table.consistency,
    states: statesOf(machine),
    trueStates: statesOf(trueMachine),
    equivalent: word === undefined,
    counterexample: word?.map((letter) => letters[letter]),
    words: agreementFrom(machine, trueMachine, saying),
    collapse: collapseOf(points, truth, rng.fork("pairs")),
    machine: {
      next: machine.next.map((row) => [...row]),
      output: machine.output.map((value) => names[value] ?? ""),
    },
  };
}

/** For a layer with discrete states, [programs, T, k]. */
function statesTap({ layers, taps }: Recording, layer: number): Tap | undefined {
  const { states } = layers[layer];
  return states === undefined ? undefined : taps[`layers.${layer}.${states}`];
}

const largest = (shares: Float32Array) => shares.indexOf(Math.max(...shares));

/** On all words of commands, after every initial letter if there are some. */
function agreementFrom(a: MooreMachine, b: MooreMachine, { beginnings }: LabelledWalks): Extraction["words"] {
  if (beginnings === 0) return agreementOnWords(a, b, WORDS);
  const behind = ({ next, ...machine }: MooreMachine, beginning: number): MooreMachine => ({
    ...machine,
    start: next[0][beginning],
    next: next.map((row) => row.slice(beginnings)),
  });
  const each = Array.from({ length: beginnings }, (_, i) =>
    agreementOnWords(behind(a, i), behind(b, i), Math.floor(WORDS / beginnings)),
  );
  return {
    words: each.reduce((sum, { words }) => sum + words, 0),
    length: each[0].length,
    agreeing: each.reduce((sum, { agreeing }) => sum + agreeing, 0),
  };
}

/** The machine of majorities. State 0 is the start; what was never seen goes to a last state that says nothing. */
function tableOf(
  steps: readonly Step[],
  cluster: Int32Array,
  says: readonly number[],
  clusters: number,
  letters: number,
): { readonly machine: MooreMachine; readonly consistency: number } {
  const stateOf = (point: number | undefined) => (point === undefined ? 0 : 1 + cluster[point]);
  const counted = Array.from({ length: clusters + 1 }, () =>
    Array.from({ length: letters }, () => new Map<number, number>()),
  );
  const said = Array.from({ length: clusters + 1 }, () => new Map<number, number>());
  const count = (counts: Map<number, number>, what: number) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const { before, letter, after } of steps) {
    count(counted[stateOf(before)][letter], stateOf(after));
    count(said[stateOf(after)], says[after]);
  }
  const unseen = clusters + 1;
  const majority = (counts: ReadonlyMap<number, number>, none: number) =>
    [...counts].reduce((most, each) => (each[1] > most[1] ? each : most), [none, 0])[0];
  const next = counted.map((row) => row.map((counts) => majority(counts, unseen)));
  next.push(new Array<number>(letters).fill(unseen));
  const output = said.map((counts) => majority(counts, NOTHING));
  output.push(NOTHING);
  const alike = alikeStates({ next, output });
  const right = steps.filter(
    ({ before, letter, after }) =>
      alike[next[stateOf(before)][letter]] === alike[stateOf(after)] &&
      output[stateOf(after)] === says[after],
  ).length;
  return { machine: { start: 0, next, output }, consistency: right / Math.max(1, steps.length) };
}

function collapseOf(points: readonly Float32Array[], truth: readonly string[], rng: Rng): number {
  const sums = { same: 0, other: 0 };
  const counts = { same: 0, other: 0 };
  for (let pair = 0; pair < PAIRS; pair++) {
    const [i, j] = [rng.below(points.length), rng.below(points.length)];
    if (i === j) continue;
    const kind = truth[i] === truth[j] ? "same" : "other";
    sums[kind] += Math.sqrt(squaredDistance(points[i], points[j]));
    counts[kind]++;
  }
  if (counts.same === 0 || counts.other === 0 || sums.other === 0) return 1;
  return sums.same / counts.same / (sums.other / counts.other);
}

const MOST_ROWS = 24;
const MOST_COLUMNS = 8;

function partOf(found: Extraction): Part {
  const { letters, beginnings, saidBy, by, machine, clusters, consistency, collapse } = found;
  const commands = letters.slice(beginnings.length);
  const shown = commands.slice(0, MOST_COLUMNS);
  const more = commands.length > shown.length ? ["\u2026"] : [];
  const nameOf = (state: number) => (state === 0 ? "start" : `q${state}`);
  const rows = machine.next.map((row, state) => [
    nameOf(state),
    machine.output[state] === "" ? "\u2013" : machine.output[state]!,
    ...row.slice(beginnings.length, beginnings.length + MOST_COLUMNS).map(nameOf),
    ...more,
  ]);
  return {
    heading: "The extracted automaton",
    how: [
      `${putInto[by](clusters)} has the transitions of most of its members and outputs ${says[saidBy]}. The automaton is then minimized.`,
    ],
    figures: {},
    caption: "",
    table: {
      columns: ["state", reads[saidBy], ...shown.map((letter) => `on ${letter.trim()}`), ...more],
      // Where programs begin with their values, what says nothing is the start and what no program does.
      rows: rows.filter((_, i) => beginnings.length === 0 || machine.output[i] !== "").slice(0, MOST_ROWS),
    },
    meaning: [
      equivalence(found),
      `State collapse ${collapse.toFixed(3)}: the distance of hidden states with one true state, over that with different ones. 0 is one point per state, 1 is no separation.`,
    ],
    caution: `The table describes ${percentSign(consistency)} of the steps.${saidBy === "probe" ? " A linear probe reads these states; only answers show whether the model uses them." : ""}`,
  };
}

const putInto = {
  clusters: (count: number) =>
    `Hidden states of the last layer at the end of each command form ${formatCount(count, "cluster")} (k-means). A cluster`,
  states: (count: number) =>
    `The last layer has ${count} states of a distribution; at the end of each command the most probable one counts. A state`,
} as const;
const reads = { answers: "answers", probe: "holds" } as const;
const says = {
  answers: "the most frequent answer",
  probe:
    "the state that a linear probe reads most often (ridge regression, fitted on the other half of the programs, since the task does not query after each command)",
} as const;

function equivalence({ states, trueStates, equivalent, counterexample = [], beginnings, words }: Extraction) {
  const longest = formatCount(words.length, beginnings.length > 0 ? "command" : "letter");
  const behind = beginnings.length > 0 ? ` after ${formatCount(beginnings.length, "beginning")}` : "";
  if (equivalent)
    return `The minimal automaton has ${formatCount(states, "state")} besides the start and is equivalent to the true one (product construction). Both agree on all ${integer(words.words)} words of up to ${longest}${behind}.`;
  const word = formatList(counterexample.map((each) => `"${each.trim()}"`));
  return `The minimal automaton has ${formatCount(states, "state")} besides the start, the true one ${trueStates}. They first differ ${counterexample.length === 0 ? "at the start" : `on the word ${word}`}. They agree on ${percentSign(words.agreeing / words.words)} of the ${integer(words.words)} words of up to ${longest}${behind}.`;
}
