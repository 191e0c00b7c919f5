/**
 * @file The automaton that a model behaves like: hidden states in clusters, a table of transitions, the minimal machine.
 *
 *     hidden state       residual of the last layer at the end of each command
 *     next(c, letter)    the cluster that most often follows cluster c on that command;  says(c): what the model most often answers there
 *     consistency        share of steps that go, and answer, as the table says
 *     collapse           mean distance of hidden states of one true state / of different ones: 0 one point a state, 1 no order at all
 *
 * The start is a state of its own that says nothing. The number of clusters is doubled until the table is consistent in
 * 99 % of steps. Whether the machine is the true one is decided for words of every length, by the product of the two.
 * Source: Giles et al. 1992, Neural Computation 4:3; Weiss et al. 2018, arXiv:1711.09576.
 */

import { z } from "zod";
import { counted, integer, listed, percentSign } from "../math/format.ts";
import { kMeans, squaredDistance } from "../math/k-means.ts";
import { agreementOnWords, difference, type MooreMachine, minimised } from "../math/moore-machine.ts";
import type { Rng } from "../math/rng.ts";
import { defineAnalysis } from "./analysis.ts";
import { askedAfterEach, tapped } from "./needs.ts";
import type { Part } from "./part.ts";
import { layersWith, type Program, type Recording, rowAt } from "./recording.ts";

const Extraction = z.strictObject({
  letters: z.array(z.string()),
  clusters: z.int(),
  consistency: z.number(),
  /** Besides the start. */
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
  found: Extraction,
  needs: [tapped("residual", "the model has no hidden states"), askedAfterEach],
  measure: ({ recording, rng }) => extractAutomaton(recording, rng),
  part: partOf,
});

const CLUSTERS = [2, 4, 8, 16, 32, 64];
const CONSISTENT = 0.99;
const NOTHING = -1;
const PAIRS = 20_000;

/** One step of a program: from the end of a command (or the start) over a letter to the end of the next. */
interface Step {
  /** Index of the hidden state before; undefined at the start. */
  readonly before: number | undefined;
  readonly letter: number;
  readonly after: number;
}

/** Of a recording with hidden states, in which every command is asked after. */
export function extractAutomaton(recording: Recording, rng: Rng): Extraction {
  const { programs, values, answers } = recording;
  const layer = layersWith(recording, "residual").at(-1);
  const letters = [...new Set(programs.flatMap((program) => program.letters))].sort();
  const points: Float32Array[] = [];
  const says: number[] = [];
  const truth: string[] = [];
  const steps: Step[] = [];
  for (const [i, { ends, letters: own, states }] of programs.entries()) {
    for (let n = 1; n < ends.length; n++) {
      steps.push({
        before: n === 1 ? undefined : points.length - 1,
        letter: letters.indexOf(own[n - 1]),
        after: points.length,
      });
      points.push(rowAt(recording.taps[`layers.${layer}.residual`], i, ends[n]));
      says.push(answers[i][n - 1]);
      truth.push(String(states[n]));
    }
  }
  const trueMachine = minimised(trueMachineOf(programs, letters));
  let best: { clusters: number; table: ReturnType<typeof tableOf> } | undefined;
  for (const clusters of CLUSTERS) {
    const cluster = kMeans(points, clusters, rng.fork(clusters));
    const table = tableOf(steps, cluster, says, clusters, letters.length);
    if (best === undefined || table.consistency > best.table.consistency) best = { clusters, table };
    if (best.table.consistency >= CONSISTENT) break;
  }
  const { clusters, table } = best!; // there are several numbers of clusters
  const machine = minimised(table.machine);
  const word = difference(machine, trueMachine);
  return {
    letters,
    clusters,
    consistency: table.consistency,
    states: machine.output.length - 1,
    trueStates: trueMachine.output.length - 1,
    equivalent: word === undefined,
    counterexample: word?.map((letter) => letters[letter]),
    words: agreementOnWords(machine, trueMachine),
    collapse: collapseOf(points, truth, rng.fork("pairs")),
    machine: {
      next: machine.next.map((row) => [...row]),
      output: machine.output.map((value) => values[value] ?? ""),
    },
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
  const right = steps.filter(
    ({ before, letter, after }) =>
      next[stateOf(before)][letter] === stateOf(after) && output[stateOf(after)] === says[after],
  ).length;
  return { machine: { start: 0, next, output }, consistency: right / Math.max(1, steps.length) };
}

/** What the task itself does, from the states of its programs. */
function trueMachineOf(programs: readonly Program[], letters: readonly string[]): MooreMachine {
  const names = new Map<string, number>();
  const next: number[][] = [new Array<number>(letters.length).fill(-1)];
  const output = [NOTHING];
  const stateOf = (state: readonly number[], said: number) => {
    const name = String(state);
    if (!names.has(name)) {
      names.set(name, next.length);
      next.push(new Array<number>(letters.length).fill(-1));
      output.push(said);
    }
    return names.get(name)!;
  };
  for (const { states, letters: own, questions } of programs) {
    let at = 0;
    for (const [i, letter] of own.entries()) {
      const after = stateOf(states[i + 1], questions[i].value);
      next[at][letters.indexOf(letter)] = after;
      at = after;
    }
  }
  // What no program shows is the same unseen state as in the table.
  const unseen = next.length;
  next.push(new Array<number>(letters.length).fill(unseen));
  output.push(NOTHING);
  return {
    start: 0,
    next: next.map((row) => row.map((after) => (after < 0 ? unseen : after))),
    output,
  };
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
  const { letters, machine, states, trueStates, equivalent, counterexample, words, consistency, clusters } =
    found;
  const shown = letters.slice(0, MOST_COLUMNS);
  const nameOf = (state: number) => (state === 0 ? "start" : `q${state}`);
  const word = counterexample === undefined ? "" : listed(counterexample.map((each) => `"${each.trim()}"`));
  return {
    heading: "The automaton that it behaves like",
    how: [
      `Hidden states of the last layer, at the end of each command, were put into ${counted(clusters, "cluster")} (k-means); each cluster goes where most of its members go, and says what the model most often answers there. States that no word tells apart were then made one.`,
    ],
    figures: {},
    caption: "",
    table: {
      columns: [
        "state",
        "answers",
        ...shown.map((letter) => `on ${letter.trim()}`),
        ...(letters.length > shown.length ? ["\u2026"] : []),
      ],
      rows: machine.next
        .slice(0, MOST_ROWS)
        .map((row, state) => [
          nameOf(state),
          machine.output[state] === "" ? "\u2013" : machine.output[state]!,
          ...row.slice(0, MOST_COLUMNS).map(nameOf),
          ...(letters.length > shown.length ? ["\u2026"] : []),
        ]),
    },
    meaning: [
      equivalent
        ? `The minimal automaton has ${counted(states, "state")} besides the start, and is the true one: on no word of any length do the two say different things (product construction). Run on all ${integer(words.words)} words of up to ${counted(words.length, "letter")}, they agree on each.`
        : `The minimal automaton has ${counted(states, "state")} besides the start, the true one ${trueStates}. They differ: first ${word === "" ? "at the start" : `on the word ${word}`}. On all ${integer(words.words)} words of up to ${counted(words.length, "letter")} they agree in ${percentSign(words.agreeing / words.words)}.`,
      `State collapse ${found.collapse.toFixed(3)}: the distance of hidden states of one true state over that of different ones; 0 is one point a state, 1 no order at all.`,
    ],
    caution: `The table describes ${percentSign(consistency)} of the steps that were seen. It says nothing about words longer than those programs, on which the model itself may go astray.`,
  };
}
