/**
 * @file The states of a batch's programs, as targets of state supervision: after which token is which state asked for?
 *
 *     program     a = 2 \n            b = 3 \n                a = 4 \n
 *     all         a 2                 a 2 b 3                 a 4 b 3           text of the state after each line
 *     changed     a 2                 b 3                     a 4
 *
 * A question is a token and the state that holds after its line: "newline" asks at the token that ends the line, "line"
 * at each of its tokens. A state is given twice: as one class for each variable, and as text in the tokens of the
 * program. Names are left out of the text where it is unambiguous without: all variables, each with a value of one token.
 */

import { fail } from "../../records/error.ts";
import type { Prepared } from "../task.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { idsOfWords, type WordBuffer } from "./rows.ts";

/** What of a state is asked for, and where. */
export interface StateForm {
  readonly state: "changed" | "all";
  readonly position: "newline" | "line";
}

export interface StateSizes {
  /** Q: questions of an example at most. */
  readonly questions: number;
  /** n. */
  readonly variables: number;
  /** M: tokens of a state's text at most. */
  readonly text: number;
}

/** Behind the last question of a row all is 0. */
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

export function statesAtMost({ maximumStates, maximumWords }: Prepared): number {
  return maximumStates ?? maximumWords;
}

/** Sizes that hold every example; `length` is T. */
export function stateSizes(
  prepared: Prepared,
  tokenizer: Tokenizer,
  { state, position }: StateForm,
  length: number,
): StateSizes {
  const { variables, maximumChanges = variables.length } = prepared;
  if (statesAtMost(prepared) === 0)
    fail("stateSupervision", "a task that tells its states", "one that tells none");
  const spelled = speller(prepared, tokenizer, state);
  return {
    questions: position === "line" ? length : Math.min(length, statesAtMost(prepared)),
    variables: variables.length,
    text: (state === "all" ? variables.length : maximumChanges) * spelled.longest,
  };
}

/** Fills row `row` from an example whose tokens stand at start .. end - 1. */
export type StateFiller = (
  into: StateQuestions,
  row: number,
  example: WordBuffer,
  start: number,
  end: number,
) => void;

export function stateFiller(
  prepared: Prepared,
  tokenizer: Tokenizer,
  { state, position }: StateForm,
): StateFiller {
  const { starts } = idsOfWords(prepared.words, tokenizer);
  const { spell } = speller(prepared, tokenizer, state);
  const n = prepared.variables.length;
  const isNewline = prepared.words.map((word) => word.endsWith("\n"));
  return (into, row, { words, states, stateEnds }, start, end) => {
    const { questions, text } = into.sizes;
    clearRow(into, row);
    let question = row * questions;
    let word = 0;
    let token = start; // the first one of the line
    for (let s = 0; s < stateEnds.length; s++) {
      let behind = token;
      for (; word < stateEnds[s]; word++) {
        if (isNewline[words[word - 1]]) token = behind; // lines without a state of their own, such as a print
        behind += starts[words[word] + 1] - starts[words[word]];
      }
      const asked = (i: number) => {
        const now = states[s * n + i];
        return now >= 0 && (state === "all" || s === 0 || now !== states[(s - 1) * n + i]);
      };
      const first = position === "line" ? token : behind - 1;
      // The last token of a program that asks for words is read by nobody.
      for (let at = first; at < Math.min(behind, end); at++) {
        into.positions[question] = at;
        let length = 0;
        for (let i = 0; i < n; i++) {
          if (!asked(i)) continue;
          into.values[question * n + i] = states[s * n + i];
          into.valueWeights[question * n + i] = 1;
          for (const id of spell(i, states[s * n + i])) into.text[question * text + length++] = id;
        }
        into.textLengths[question] = length;
        into.weights[question++] = length > 0 ? 1 : 0;
      }
      token = behind;
    }
  };
}

function clearRow(into: StateQuestions, row: number): void {
  const { questions, variables, text } = into.sizes;
  const clear = (array: Int32Array | Float32Array, each: number) =>
    array.fill(0, row * questions * each, (row + 1) * questions * each);
  for (const array of [into.positions, into.weights, into.textLengths]) clear(array, 1);
  for (const array of [into.values, into.valueWeights]) clear(array, variables);
  clear(into.text, text);
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
