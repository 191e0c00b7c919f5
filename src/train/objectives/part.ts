/**
 * @file Parts of a mixture with their own question: a task around the task, which writes a program, then a request and its answer
 * as reveals.
 *
 *     copy    a = 1 \n b = 2 \n   <copy> a = 1 \n b = 2 \n
 *                                        - - - -  - - - -    asked
 *
 * The reveals of the program itself are not asked; they are a separate part. Every wrapped task adds the same three words.
 */

import type { Prepared, Sink } from "../../tasks/task.ts";
import type { NewWords, Part, Writer } from "./objective.ts";

/** Added after the words of the task. */
export const NEW_WORDS = { copy: "<copy>", find: "<find>", hole: "<hole>" } as const;

/** The task with the new words in its vocabulary and all words as values, so that each can be asked for. */
export function widened(prepared: Prepared): Prepared {
  const { words, values } = prepared;
  const known = new Set(values);
  return {
    ...prepared,
    words: [...words, ...Object.values(NEW_WORDS)],
    values: [...values, ...words.filter((word) => !known.has(word)), ...Object.values(NEW_WORDS)],
  };
}

/** The task around another one. @param wide a result of `widened`. */
export function wrapped<Params>(wide: Prepared, part: Part<Params>, params: Params): Prepared {
  const first = wide.words.length - Object.keys(NEW_WORDS).length;
  const newWords: NewWords = { copy: first, find: first + 1, hole: first + 2 };
  const valueOfWord = wide.words.map((word) => wide.values.indexOf(word));
  const { posterior: _, hidden: __, references: ___, maximumCharacters: ____, ...rest } = wide;
  return {
    ...rest,
    maximumWords: part.most(wide.maximumWords, params),
    write(rng, sink) {
      const program: number[] = [];
      const states: { readonly at: number; readonly values: readonly number[] }[] = [];
      const recorder: Sink = {
        word: (index) => void program.push(index),
        reveal: () => {},
        target: () => {},
        state: (values) => void states.push({ at: program.length, values: Array.from(values) }),
      };
      wide.write(rng, recorder);
      let written = 0;
      const writeStates = () => {
        while (states[0]?.at <= written) sink.state(states.shift()!.values); // not empty
      };
      writeStates();
      const word = (index: number) => {
        sink.word(index);
        written++;
        writeStates();
      };
      const writer: Writer = {
        word,
        answer(index) {
          sink.reveal(0, valueOfWord[index]);
          word(index);
        },
      };
      part.write(program, rng.fork("objective"), writer, newWords, params);
    },
  };
}
