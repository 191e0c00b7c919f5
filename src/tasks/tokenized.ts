/**
 * @file A task whose words are the tokens of a language model. Each example is tokenized as one text.
 *
 *     words of the task    [>>> ] [print('] [a] [', ] [a] [)] [\n] [a] [ ] [1] [\n]      a reveal: 1
 *     words                [>>>] [ print] [('] [a] [',] [ a] [)] [\n] [a] [ 1] [\n]      a reveal: " 1"
 *
 * An answer begins at the token with its first character. Its tokens may contain white space around it, as in lm-evaluation-harness, and
 * no other text.
 */

import { fail, Words } from "../core/error.ts";
import { type Rng, rngFrom } from "../core/rng.ts";
import { exampleFrom } from "./example.ts";
import { type FileTokenizer, textOf } from "./file-tokenizer.ts";
import type { Prepared, Sink, Task } from "./task.ts";

export function tokenizedTask(task: Task, tokenizer: FileTokenizer): Task {
  return { ...task, prepare: (params) => tokenized(task.prepare(params), tokenizer) };
}

function tokenized({ execution: _, ...source }: Prepared, tokenizer: FileTokenizer): Prepared {
  if (source.asks === "states")
    fail("tokenizer", "word or character for a task that asks for states", new Words("a file"));
  const sizes = source.words.map(byteLength);
  const perCharacter = Math.max(...source.words.map((word, i) => sizes[i] / [...word].length));
  const bytes =
    source.maximumCharacters === undefined
      ? source.maximumWords * Math.max(...sizes)
      : source.maximumCharacters * perCharacter;
  const tokensOf = spellings(source, tokenizer);

  function write(rng: Rng, sink: Sink): void {
    const { text, events } = readExample(source, sizes, rng);
    const split = tokenizer.split(text);
    let next = 0;
    const emit = (last: number) => {
      for (; next <= last; next++) {
        const { start, end, answer, state } = events[next];
        if (state !== undefined) sink.state(state);
        if (answer === undefined) continue;
        const tokens = answerTokens(split, start, end);
        if (String(tokens) !== String(tokensOf(answer.value)))
          fail(
            "tokenizer",
            `the answer ${source.values[answer.value]} in the same tokens everywhere`,
            textOf(split.bytes.slice(0, end)).slice(-context),
          );
        sink.reveal(answer.variable, answer.value, tokens.length);
      }
    };
    for (const [i, id] of split.ids.entries()) {
      // A state follows the token that completes its text; an answer is marked before its first token.
      const before = split.ends[i - 1] ?? 0;
      emit(events.findLastIndex(({ start, answer }) => (answer ? start < split.ends[i] : start <= before)));
      sink.word(id);
    }
    emit(events.length - 1);
  }

  write(rngFrom(0), { word() {}, reveal() {}, target() {}, state() {} }); // refuses a text here
  return {
    ...source,
    words: tokenizer.tokens,
    maximumWords: Math.ceil(bytes) + 1 + tokenizer.encode("").length, // a token has at least one byte
    write,
    tokenized: {
      ...{ tokenizer, source },
      get values() {
        return source.values.map((_, value) => tokensOf(value));
      },
    },
  };
}

/** An answer at the bytes start .. end - 1, or a state at `start`. */
interface Event {
  readonly start: number;
  end: number;
  readonly answer?: { readonly variable: number; readonly value: number };
  readonly state?: readonly number[];
}

/** Draws an example; `sizes` are the bytes of the words. */
function readExample({ words, write }: Prepared, sizes: readonly number[], rng: Rng) {
  let text = "";
  let at = 0;
  let left = 0; // words of the last answer
  const events: Event[] = [];
  write(rng, {
    word(index) {
      text += words[index];
      at += sizes[index];
      if (left > 0 && left-- > 0) events.at(-1)!.end = at; // an answer, as there are words left of it
    },
    reveal(variable, value, count = 1) {
      left = count;
      events.push({ start: at, end: at, answer: { variable, value } });
    },
    target: () => fail("task", 'asks: "states" for a reveal of a state', "words"),
    state: (values) => events.push({ start: at, end: at, state: Array.from(values) }),
  });
  return { text, events };
}

/** The tokens of the answer at the bytes start .. end - 1. Errors: LabError if they contain other text than white space around it. */
function answerTokens(
  { bytes, ids, ends }: ReturnType<FileTokenizer["split"]>,
  start: number,
  end: number,
): number[] {
  const first = ends.findIndex((each) => each > start);
  const last = ends.findIndex((each) => each >= end);
  const from = first === 0 ? 0 : ends[first - 1];
  if ((bytes.slice(from, start) + bytes.slice(end, ends[last])).trim() !== "") {
    const text = JSON.stringify(textOf(bytes.slice(start, end)));
    fail(
      "tokenizer",
      `tokens of the answer ${text} without other text`,
      textOf(bytes.slice(from, ends[last])),
    );
  }
  return ids.slice(first, last + 1);
}

/** Examples that are drawn to find an answer. */
const mostDraws = 100;
/** Characters before and after an answer, more than a token has. */
const context = 40;

/** The tokens of a value, by its index, in the place of the first answer of an example; of the value alone if no example has one. */
function spellings(source: Prepared, tokenizer: FileTokenizer): (value: number) => readonly number[] {
  let place: readonly [before: string, after: string] | undefined;
  for (let i = 0; i < mostDraws && place === undefined; i++) {
    const { text, reveals } = exampleFrom(source, rngFrom(i));
    const [first] = reveals;
    if (first) place = [text.slice(0, first.start).slice(-context), text.slice(first.end).slice(0, context)];
  }
  const [before, after] = place ?? ["", ""];
  const start = byteLength(before);
  const known: number[][] = [];
  return (value) => {
    const text = source.values[value];
    known[value] ??= answerTokens(tokenizer.split(before + text + after), start, start + byteLength(text));
    return known[value];
  };
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;
