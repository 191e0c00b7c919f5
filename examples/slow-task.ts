/**
 * @file Slow lamp: the lamp of my-task.ts, if making an example took as long as running a program does: mostly next to nothing, and one in
 * twenty comes to its time limit, 40 ms. To see what a queue between making and training is for (docs/how-to/cluster.md).
 *
 *     flip flip wait lamp off flip lamp on
 */

import { defineTask, type Prepared, z } from "statelab";

const params = z.strictObject({
  commands: z.int().positive().default(8),
  /** Of an example that comes to its time limit. */
  milliseconds: z.number().min(0).default(40),
});

const words = ["flip ", "wait ", "lamp ", "off", "on", " "];
const [flip, wait, name, off, , space] = words.keys();
const asleep = new Int32Array(new SharedArrayBuffer(4));

export default defineTask({
  name: "slow-lamp",
  summary: "a switch, looked at every other command; one example in twenty takes long",
  source: "docs/how-to/cluster.md",
  params,

  prepare({ commands, milliseconds }): Prepared {
    return {
      words,
      variables: ["lamp"],
      values: ["off", "on"],
      maximumWords: 4 * commands,

      write(rng, sink) {
        if (rng.below(20) === 0) Atomics.wait(asleep, 0, 0, milliseconds);
        let lit = 0;
        sink.state([lit]);
        for (let done = 1; done <= commands; done++) {
          const flipped = rng.below(2);
          sink.word(flipped ? flip : wait);
          lit ^= flipped;
          sink.state([lit]);
          if (done % 2 > 0) continue;
          sink.word(name);
          sink.reveal(0, lit);
          sink.word(off + lit);
          sink.word(space);
        }
      },

      // Whoever counts the flips is always right.
      references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
    };
  },
});
