/**
 * @file Sessions in which four of eight names change their values, in two wordings, by the elements of a group of four.
 *
 *     c = 2                              four names, in alphabetical order; the values 1 to 4 in any
 *     d = 1
 *     f = 4
 *     h = 3
 *     c, d, f, h = d, c, h, f            a command in one line,
 *     t = c                              or the same by a temporary, a cycle after the other
 *     c = d
 *     d = t
 *     ...
 *     print(f)                           after each command one is printed, or all of them
 *     3
 *
 * Names are told apart by the sum of their places, modulo three. Of sum 0 and 1 they are trained on, 0 in one line and 1 by a
 * temporary; of sum 2 nobody is. So both wordings and all names are known, and three things can be new: names that never stood together
 * (`names: new`), a wording that these names never had (`wording: other`), and the group (`group: Z_4` beside the trained V_4: both
 * have four elements, and share two).
 */

import { z } from "zod";
import { distinct } from "../../src/tasks/distinct.ts";
import { defineTask, type Sink } from "../../src/tasks/task.ts";

const NAMES = [..."abcdefgh"];
const HELD = 4;
/** Where the value of each place comes from. */
export const groups = {
  V_4: [
    [0, 1, 2, 3],
    [1, 0, 3, 2],
    [2, 3, 0, 1],
    [3, 2, 1, 0],
  ],
  Z_4: [
    [0, 1, 2, 3],
    [1, 2, 3, 0],
    [2, 3, 0, 1],
    [3, 0, 1, 2],
  ],
} as const;

export const TiersParams = z.strictObject({
  commands: z.int().min(1).max(100).default(4),
  reveal: z.enum(["one", "all"]).default("one"),
  names: z.enum(["trained", "new"]).default("trained"),
  wording: z.enum(["trained", "other"]).default("trained"),
  group: z.enum(["V_4", "Z_4"]).default("V_4"),
});
export type TiersParams = z.infer<typeof TiersParams>;

const values = ["1", "2", "3", "4"];
const words = [...NAMES, ...values, "t", " = ", ", ", "\n", "print(", ")\n"];
const [firstValue, temporary, equals, comma, newline, print, close] = [8, 12, 13, 14, 15, 16, 17];

export const tiersTask = defineTask<TiersParams>({
  name: "tiers",
  summary: "four of eight names change their values, in two wordings; what does one hold?",
  source: "our own",
  params: TiersParams,
  prepare({ commands, reveal, names, wording, group }) {
    const prints = reveal === "all" ? HELD : 1;
    const longestCommand = 2 * 12; // by temporaries: two cycles of two, three lines of four words each
    return {
      words,
      variables: NAMES,
      values,
      maximumWords: HELD * 4 + commands * (longestCommand + prints * 5),
      maximumStates: commands + 1,
      write(rng, sink) {
        const held = namesOf(rng, names === "new" ? 2 : rng.below(2));
        const inOneLine =
          names === "new" ? rng.below(2) === 0 : (sumOf(held) === 0) === (wording === "trained");
        let now = distinct(rng, HELD, HELD);
        const state = () => sink.state(NAMES.map((_, i) => (held.includes(i) ? now[held.indexOf(i)] : -1)));
        for (const [i, name] of held.entries()) assign(sink, name, firstValue + now[i]);
        state();
        for (let k = 0; k < commands; k++) {
          const from = groups[group][rng.below(HELD)];
          if (inOneLine) allAtOnce(sink, held, from);
          else byTemporary(sink, held, from);
          now = from.map((source) => now[source]);
          state();
          const asked = reveal === "all" ? [0, 1, 2, 3] : [rng.below(HELD)];
          for (const i of asked) {
            for (const word of [print, held[i], close]) sink.word(word);
            sink.reveal(held[i], now[i]);
            sink.word(firstValue + now[i]);
            sink.word(newline);
          }
        }
      },
    };
  },
});

const sumOf = (held: readonly number[]) => held.reduce((sum, each) => sum + each, 0) % 3;

function namesOf(rng: Parameters<typeof distinct>[0], sum: number): number[] {
  for (;;) {
    const held = distinct(rng, HELD, NAMES.length).toSorted((a, b) => a - b);
    if (sumOf(held) === sum) return held;
  }
}

function assign(sink: Sink, name: number, value: number): void {
  for (const word of [name, equals, value, newline]) sink.word(word);
}

/** All places on both sides, those too that stay. */
function allAtOnce(sink: Sink, held: readonly number[], from: readonly number[]): void {
  const list = (places: readonly number[]) => {
    for (const [i, place] of places.entries()) {
      if (i > 0) sink.word(comma);
      sink.word(held[place]);
    }
  };
  list([0, 1, 2, 3]);
  sink.word(equals);
  list(from);
  sink.word(newline);
}

/** Each cycle from its first place on; what stays is not written. */
function byTemporary(sink: Sink, held: readonly number[], from: readonly number[]): void {
  const done = new Set<number>();
  for (const first of from.keys()) {
    if (done.has(first) || from[first] === first) continue;
    assign(sink, temporary, held[first]);
    let place = first;
    for (; from[place] !== first; place = from[place]) {
      assign(sink, held[place], held[from[place]]);
      done.add(place);
    }
    assign(sink, held[place], temporary);
    done.add(place);
  }
}
