/**
 * @file What a part of a mixture may ask in place of the task's own question: another task around the task, which writes a program
 * and then a request and its answer, as reveals.
 *
 *     copy    a = 1 \n b = 2 \n   <copy> a = 1 \n b = 2 \n
 *                                        - - - -  - - - -    asked
 *
 * The program's own reveals are not asked; what the task asks is a part of its own. Three words are new, the same for all.
 */

import type { z } from "zod";
import type { Rng } from "../../../core/rng.ts";
import type { Prepared, Sink } from "../../../tasks/task.ts";

/** Behind the words of the task. */
export const NEW_WORDS = { copy: "<copy>", find: "<find>", hole: "<hole>" } as const;

export interface Writer {
  word(index: number): void;
  /** A word that is asked for. */
  answer(index: number): void;
}

export interface NewWords {
  readonly copy: number;
  readonly find: number;
  readonly hole: number;
}

export interface PartObjective<Params = unknown> {
  readonly name: string;
  readonly source: string;
  readonly params: z.ZodType<Params>;
  /** No example has more words, of a program of so many. */
  most(words: number, params: Params): number;
  /** Writes an example, of the words of a program. `rng` draws nothing of the program. */
  write(program: readonly number[], rng: Rng, writer: Writer, words: NewWords, params: Params): void;
}

export function defineObjective<Params>(objective: PartObjective<Params>): PartObjective<Params> {
  return objective;
}

/** The task whose vocabulary has the new words, and whose values are all words: then each of them can be asked for. */
export function widened(prepared: Prepared): Prepared {
  const { words, values } = prepared;
  const known = new Set(values);
  return {
    ...prepared,
    words: [...words, ...Object.values(NEW_WORDS)],
    values: [...values, ...words.filter((word) => !known.has(word)), ...Object.values(NEW_WORDS)],
  };
}

/** @param wide a task after `widened`. */
export function wrapped<Params>(wide: Prepared, objective: PartObjective<Params>, params: Params): Prepared {
  const first = wide.words.length - Object.keys(NEW_WORDS).length;
  const newWords: NewWords = { copy: first, find: first + 1, hole: first + 2 };
  const valueOfWord = wide.words.map((word) => wide.values.indexOf(word));
  const { posterior: _, hidden: __, references: ___, maximumCharacters: ____, ...rest } = wide;
  return {
    ...rest,
    maximumWords: objective.most(wide.maximumWords, params),
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
      const tellStates = () => {
        while (states[0]?.at <= written) sink.state(states.shift()!.values); // there is one
      };
      tellStates();
      const word = (index: number) => {
        sink.word(index);
        written++;
        tellStates();
      };
      const writer: Writer = {
        word,
        answer(index) {
          sink.reveal(0, valueOfWord[index]);
          word(index);
        },
      };
      objective.write(program, rng.fork("objective"), writer, newWords, params);
    },
  };
}
