/**
 * @file The programs as walks over an automaton: at the end of each command the model's answer, and the truth.
 *
 *     the task asks after every command     start --0--> ... --1--> ...         said: the answer;  true: what is asked for
 *     it does not                           start --a = 1, b = 2--> 1 2 --a, b = b, a--> 2 1
 *                                           said: the state that a linear map reads;  true: the state
 *
 * If the values of the variables do not determine the next state (is the string in the language?), the task has its own automaton.
 * The map is fitted on the first half of the programs, and the walks are those of the other half.
 */

import type { MachineOfWords, MooreMachine } from "../core/moore-machine.ts";
import { ridgeClassifiers, ridgeRows } from "../core/ridge-classifier.ts";
import { layersWith, type Program, type Recording, rowAt } from "./recording.ts";

/** The answer at the start, and in a state that no program shows. */
export const NOTHING = -1;

export interface Visit {
  /** The token whose hidden state is read. */
  readonly token: number;
  /** The letter before it. */
  readonly letter: number;
  /** An index of `names`, or NOTHING. */
  readonly said: number;
  /** All that the variables hold. */
  readonly state: string;
}

export interface LabelledWalks {
  readonly by: "answers" | "probe";
  /** The beginnings first, then the commands, each in alphabetical order. */
  readonly letters: readonly string[];
  /** How many of the letters are beginnings. */
  readonly beginnings: number;
  readonly names: readonly string[];
  readonly walks: readonly { readonly program: number; readonly visits: readonly Visit[] }[];
  /** The true one: start, states as they were seen, and last the state of what no program shows. */
  readonly machine: MooreMachine;
}

/** A sentence where one state and one command lead to different states. */
export function labelWalks(recording: Recording): LabelledWalks | string {
  const { programs, automaton } = recording;
  const commands = [...new Set(programs.flatMap(({ letters }) => letters))].sort();
  const alike = programs.every(({ states }) => String(states[0]) === String(programs[0].states[0]));
  const isAnswered = alike && programs.every(isAskedAfterEach);
  if (isAnswered && automaton !== undefined && commands.every((each) => automaton.letters.includes(each)))
    return moved(answered(recording, automaton.letters), automaton);
  const each = (isAnswered ? answered : read)(recording, commands);
  const machine = trueMachineOf(each);
  return machine === undefined
    ? "the same commands lead from one state to several: chance moves it, or something that is not written"
    : { ...each, machine };
}

type Walks = Omit<LabelledWalks, "machine"> & {
  /** The truth at each visit, in the form of `said`. */
  readonly truth: readonly (readonly number[])[];
};

const isAskedAfterEach = ({ ends, questions }: Program) =>
  questions.length === ends.length - 1 && questions.every(({ position }, i) => position === ends[i + 1]);

function answered({ programs, values, answers }: Recording, letters: readonly string[]): Walks {
  return {
    by: "answers",
    letters,
    beginnings: 0,
    names: values,
    walks: programs.map(({ ends, letters: own, states }, program) => ({
      program,
      visits: own.map((letter, i) => ({
        token: ends[i + 1],
        letter: letters.indexOf(letter),
        said: answers[program][i],
        state: String(states[i + 1]),
      })),
    })),
    truth: programs.map(({ questions }) => questions.map(({ value }) => value)),
  };
}

function read(recording: Recording, commands: readonly string[]): Walks {
  const { programs, values } = recording;
  const nameOf = (state: readonly number[]) => state.map((value) => values[value]).join(" ");
  const written = programs.filter(({ ends }) => ends[0] >= 0);
  const beginnings = [...new Set(written.map(({ states }) => nameOf(states[0])))].sort();
  const letters = [...beginnings, ...commands];
  const names = [...new Set(programs.flatMap(({ states }) => states.map(nameOf)))].sort();
  const layer = layersWith(recording, "residual").at(-1);
  const at = (program: number, token: number) =>
    rowAt(recording.taps[`layers.${layer}.residual`], program, token);
  // Without a token before the first command there is no hidden state to read: the walk begins after that command.
  const readable = ({ ends }: Program) => ends.flatMap((token, n) => (token < 0 ? [] : [n]));
  const half = Math.floor(programs.length / 2);
  const fitted = programs
    .slice(0, half)
    .flatMap((program, i) =>
      readable(program).map((n) => ({ row: at(i, program.ends[n]), state: program.states[n] })),
    );
  const classifiers = ridgeClassifiers(
    ridgeRows(fitted.map(({ row }) => row)),
    programs[0].states[0].map((_, variable) => fitted.map(({ state }) => state[variable])),
    values.length,
  );
  const own = programs.slice(half);
  return {
    by: "probe",
    letters,
    beginnings: beginnings.length,
    names,
    walks: own.map((program, i) => ({
      program: half + i,
      visits: readable(program).map((n) => ({
        token: program.ends[n],
        letter: letters.indexOf(n === 0 ? nameOf(program.states[0]) : program.letters[n - 1]),
        // a state that no program is in says nothing, too
        said: names.indexOf(nameOf(classifiers.map((classify) => classify(at(half + i, program.ends[n]))))),
        state: String(program.states[n]),
      })),
    })),
    truth: own.map((program) => readable(program).map((n) => names.indexOf(nameOf(program.states[n])))),
  };
}

/** The same walks, through the states of the task's automaton, after a start that says nothing. */
function moved({ walks, ...saying }: Walks, { start, next, output }: MachineOfWords): LabelledWalks {
  return {
    ...saying,
    walks: walks.map(({ program, visits }) => {
      let state = start;
      const through = visits.map((visit) => {
        state = next[state][visit.letter];
        return { ...visit, state: String(state) };
      });
      return { program, visits: through };
    }),
    machine: {
      start: 0,
      next: [next[start], ...next].map((row) => row.map((after) => 1 + after)),
      output: [NOTHING, ...output],
    },
  };
}

/** The automaton of the task, as its programs show it. */
function trueMachineOf({ walks, letters, truth }: Walks): MooreMachine | undefined {
  const numbers = new Map<string, number>();
  const next: number[][] = [new Array<number>(letters.length).fill(NOTHING)];
  const output = [NOTHING];
  const stateOf = (state: string, said: number) => {
    if (!numbers.has(state)) {
      numbers.set(state, next.length);
      next.push(new Array<number>(letters.length).fill(NOTHING));
      output.push(said);
    }
    return numbers.get(state)!;
  };
  for (const [i, { visits }] of walks.entries()) {
    let at = 0;
    for (const [n, { letter, state }] of visits.entries()) {
      const after = stateOf(state, truth[i][n]);
      if (next[at][letter] !== NOTHING && next[at][letter] !== after) return undefined;
      next[at][letter] = after;
      at = after;
    }
  }
  const unseen = next.length;
  next.push(new Array<number>(letters.length).fill(unseen));
  output.push(NOTHING);
  return { start: 0, next: next.map((row) => row.map((after) => (after < 0 ? unseen : after))), output };
}
