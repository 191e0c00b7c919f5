/**
 * @file Targets of state supervision: which state is asked after which token of a batch's programs.
 *
 *     program     a = 2 \n            b = 3 \n                a = 4 \n
 *     all         a 2                 a 2 b 3                 a 4 b 3           text of the state after each line
 *     changed     a 2                 b 3                     a 4
 *
 * A question is a token and the state after its line: "newline" asks at the token that ends the line, "line" at each of its tokens.
 * A state is given twice: as one class for each variable, and as text in the tokens of the program. Names are omitted from the text
 * if it is unambiguous without them: all variables, each with a value of one token.
 *
 * If the variables are not fixed, a task writes its states out, and they have no classes: the lines "name value" of all
 * variables, or of those that changed. Nothing is asked if nothing changed, or the text exceeds the limit of the task.
 *
 *     program     xs = [1] \n     n = 2 \n          xs.append(n) \n
 *     all         xs [1]          xs [1] \n n 2     xs [1, 2] \n n 2
 *     changed     xs [1]          n 2               xs [1, 2]
 */

import { fail, Words } from "../../../core/error.ts";
import type { Rng } from "../../../core/rng.ts";
import { idsOfWords, type WordBuffer } from "../../../tasks/batch/rows.ts";
import { type Prepared, statesAtMost, type WrittenState } from "../../../tasks/task.ts";
import type { Tokenizer } from "../../../tasks/tokenizer.ts";

/** Which part of a state is asked, and where. */
export interface StateForm {
  readonly state: "changed" | "all";
  readonly position: "newline" | "line";
}

export interface StateSizes {
  /** Q: most questions of an example. */
  readonly questions: number;
  /** n; 0 if states are written out. */
  readonly variables: number;
  /** M: most tokens of the text of a state. */
  readonly text: number;
}

/** Entries after the last question of a row are 0. */
export interface StateQuestions {
  readonly sizes: StateSizes;
  /** Index into the flat tokens (b * T + t) of the token at which it is asked. */
  readonly positions: Int32Array; // [B, Q]
  /** 1 where something is asked. */
  readonly weights: Float32Array; // [B, Q]
  /** Index into `Prepared.values` of each variable; 1 in valueWeights where it is asked for. */
  readonly values: Int32Array; // [B, Q, n]
  readonly valueWeights: Float32Array; // [B, Q, n]
  readonly text: Int32Array; // [B, Q, M]
  readonly textLengths: Int32Array; // [B, Q]
}

export function emptyQuestions(rows: number, sizes: StateSizes): StateQuestions {
  const questions = rows * sizes.questions;
  return {
    sizes,
    positions: new Int32Array(questions),
    weights: new Float32Array(questions),
    values: new Int32Array(questions * sizes.variables),
    valueWeights: new Float32Array(questions * sizes.variables),
    text: new Int32Array(questions * sizes.text),
    textLengths: new Int32Array(questions),
  };
}

/** Sizes that hold every example; `length` is T. */
export function stateSizes(
  prepared: Prepared,
  tokenizer: Tokenizer,
  { state, position }: StateForm,
  length: number,
): StateSizes {
  const { variables, text } = questionWriter(prepared, tokenizer, state);
  if (statesAtMost(prepared) === 0) fail("stateSupervision", "a task with known states", "one without");
  const places = position === "line" ? length : Math.min(length, statesAtMost(prepared));
  return { questions: Math.min(places, prepared.mostQuestions ?? places), variables, text };
}

/** Fills row `row` from an example whose tokens stand at start .. end - 1, and draws which questions if there are too many. */
type StateFiller = (
  into: StateQuestions,
  row: number,
  example: WordBuffer,
  start: number,
  end: number,
  rng: Rng,
) => void;

export function stateFiller(
  prepared: Prepared,
  tokenizer: Tokenizer,
  { state, position }: StateForm,
): StateFiller {
  const { starts } = idsOfWords(prepared.words, tokenizer);
  const { asks, write } = questionWriter(prepared, tokenizer, state);
  const most = statesAtMost(prepared);
  const isNewline = prepared.words.map((word) => word.endsWith("\n"));
  return (into, row, { words, states, stateEnds }, start, end, rng) => {
    const { questions } = into.sizes;
    if (stateEnds.length > most) fail("task", `at most ${most} states in an example`, stateEnds.length);
    clearRow(into, row);
    const places: { at: number; s: number }[] = [];
    let word = 0;
    let token = start; // the first one of the line
    for (let s = 0; s < stateEnds.length; s++) {
      let behind = token;
      for (; word < stateEnds[s]; word++) {
        if (isNewline[words[word - 1]]) token = behind; // lines without a state of their own, such as a print
        behind += starts[words[word] + 1] - starts[words[word]];
      }
      const first = position === "line" ? token : behind - 1;
      // The last token of a program that asks for words is not an input.
      if (asks(states, s)) for (let at = first; at < Math.min(behind, end); at++) places.push({ at, s });
      token = behind;
    }
    for (const [i, { at, s }] of drawn(places, questions, rng).entries()) {
      const question = row * questions + i;
      into.positions[question] = at;
      const length = write(into, question, states, s);
      into.textLengths[question] = length;
      into.weights[question] = length > 0 ? 1 : 0;
    }
  };
}

/** `most` of the items, in their order, every choice equally likely; all where there are no more. */
function drawn<T>(items: readonly T[], most: number, rng: Rng): readonly T[] {
  if (items.length <= most) return items;
  let wanted = most;
  return items.filter((_, i) => {
    const taken = rng.below(items.length - i) < wanted;
    if (taken) wanted--;
    return taken;
  });
}

function clearRow(into: StateQuestions, row: number): void {
  const { questions, variables, text } = into.sizes;
  const clear = (array: Int32Array | Float32Array, each: number) =>
    array.fill(0, row * questions * each, (row + 1) * questions * each);
  for (const array of [into.positions, into.weights, into.textLengths]) clear(array, 1);
  for (const array of [into.values, into.valueWeights]) clear(array, variables);
  clear(into.text, text);
}

/** Says what is asked about state s of an example, as classes and as text. Returns how many tokens the text has. */
type QuestionWriter = (
  into: StateQuestions,
  question: number,
  states: ArrayLike<number>,
  s: number,
) => number;

function questionWriter(prepared: Prepared, tokenizer: Tokenizer, state: StateForm["state"]) {
  const { variables, writtenStates, maximumChanges = variables.length } = prepared;
  if (writtenStates !== undefined) {
    if (prepared.tokenized !== undefined)
      fail("stateSupervision", "tokenizer: word or character for this task", new Words("a file"));
    const texts = writtenTexts(writtenStates, idsOfWords(prepared.words, tokenizer), state);
    const write: QuestionWriter = (into, question, states, s) => {
      into.text.set(texts[states[s]], question * into.sizes.text);
      return texts[states[s]].length;
    };
    const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
    // What is not asked takes no place.
    const asks = (states: ArrayLike<number>, s: number) => texts[states[s]].length > 0;
    return { variables: 0, text: longest, asks, write };
  }
  const { spell, longest } = speller(prepared, tokenizer, state);
  const n = variables.length;
  const write: QuestionWriter = (into, question, states, s) => {
    let length = 0;
    for (let i = 0; i < n; i++) {
      const now = states[s * n + i];
      if (now < 0 || (state === "changed" && s > 0 && now === states[(s - 1) * n + i])) continue;
      into.values[question * n + i] = now;
      into.valueWeights[question * n + i] = 1;
      for (const id of spell(i, now)) into.text[question * into.sizes.text + length++] = id;
    }
    return length;
  };
  return { variables: n, text: (state === "all" ? n : maximumChanges) * longest, asks: () => true, write };
}

/** How a variable with a value is written, and how many tokens that takes at most. */
function speller({ variables, values }: Prepared, tokenizer: Tokenizer, state: StateForm["state"]) {
  const known = new Map<number, readonly number[]>();
  const valueIds = (value: number) => {
    const found = known.get(value) ?? tokenizer.encode(values[value]);
    known.set(value, found);
    return found;
  };
  const characters = values.reduce((most, value) => Math.max(most, value.length), 0);
  // Of very many values not each is tried: no token is shorter than a character.
  const longestValue =
    values.length > 1000 ? characters : Math.max(...values.map((_, i) => valueIds(i).length));
  const named = variables.length > 1 && (state === "changed" || longestValue > 1);
  const names = named ? variables.map((name) => tokenizer.encode(name)) : [];
  return {
    longest: longestValue + Math.max(0, ...names.map((ids) => ids.length)),
    spell: (variable: number, value: number) =>
      named ? [...names[variable], ...valueIds(value)] : valueIds(value),
  };
}

/** The number of states with a text, and how many of these exceed the limit. */
export function leftOut(written: readonly WrittenState[], state: StateForm["state"]) {
  const texts = written.filter((each) => each[state]?.length !== 0);
  return { states: texts.length, tooLong: texts.filter((each) => each[state] === undefined).length };
}

/** The text of each state in tokens, empty if nothing is asked. */
function writtenTexts(
  written: readonly WrittenState[],
  { ids, starts }: ReturnType<typeof idsOfWords>,
  state: StateForm["state"],
): Int32Array[] {
  const { states, tooLong } = leftOut(written, state);
  if (states === 0) {
    const hint = "Rows of statelab data trace have it";
    fail("stateSupervision", "programs with the state after each line", "none", hint);
  }
  if (states === tooLong)
    fail("task.mostStateWords", "a limit that fits some state", `none of ${states}`, "Raise it");
  const tokensOf = (word: number) => [...ids.subarray(starts[word], starts[word + 1])];
  return written.map(({ [state]: words = [] }) => Int32Array.from([...words].flatMap(tokensOf)));
}

/** What of a state is asked for, and where. */
