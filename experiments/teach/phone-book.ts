/**
 * @file A phone book: names and numbers, and then a name, whose number is asked for.
 *
 *     ann 3
 *     bob 0
 *     cid 3
 *     ? bob 0          the last number is revealed
 *
 * Nothing is tracked; what was written has to be found again. No two names are the same; numbers may be.
 */

import { z } from "zod";
import { distinct } from "../../src/tasks/distinct.ts";
import { defineTask } from "../../src/tasks/task.ts";

export const PhoneBookParams = z.strictObject({
  /** Lines of the book. */
  entries: z.int().min(1).default(8),
  /** How many names and numbers are words. */
  names: z.int().min(1).default(16),
  numbers: z.int().min(2).default(8),
});
export type PhoneBookParams = z.infer<typeof PhoneBookParams>;

export const phoneBook = defineTask<PhoneBookParams>({
  name: "phone-book",
  summary: "names with their numbers, then a name; which was its number?",
  source: "the phone-book look-up of Jelassi et al. 2024, arXiv:2402.01032, in words of its own",
  params: PhoneBookParams,
  prepare({ entries, names, numbers }) {
    const values = Array.from({ length: numbers }, (_, i) => `${i}`);
    const [firstNumber, newline, question] = [names, names + numbers, names + numbers + 1];
    return {
      words: [...Array.from({ length: names }, (_, i) => `n${i} `), ...values, "\n", "? "],
      variables: ["number"],
      values,
      maximumWords: 3 * entries + 4,
      maximumStates: 1,
      write(rng, sink) {
        const listed = distinct(rng, entries, names);
        const own = listed.map(() => rng.below(numbers));
        for (const [i, name] of listed.entries()) {
          sink.word(name);
          sink.word(firstNumber + own[i]);
          sink.word(newline);
        }
        const asked = rng.below(entries);
        sink.state([own[asked]]);
        sink.word(question);
        sink.word(listed[asked]);
        sink.reveal(0, own[asked]);
        sink.word(firstNumber + own[asked]);
        sink.word(newline);
      },
      references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
    };
  },
});
