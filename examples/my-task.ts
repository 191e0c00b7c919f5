/**
 * @file Lamp: a switch is flipped or left alone; now and then somebody looks whether the lamp is on.
 *
 *     lamp off          the state at the start
 *     flip              a command: the state changes,
 *     wait              or it does not
 *     lamp on           a reveal follows every `spacing` commands
 *
 * The state is the parity of the flips. See docs/how-to/add-a-task.md.
 */

import { defineTask, type Prepared, z } from "statelab";

const params = z.strictObject({
  commands: z.int().positive().default(12),
  /** Commands per reveal; of a list one is drawn for each example. */
  spacing: z.union([z.int().positive(), z.array(z.int().positive()).min(1)]).default(4),
});

const words = ["flip\n", "wait\n", "lamp ", "off", "on", "\n"];
const [flip, wait, name, off, , newline] = words.keys();

export default defineTask({
  name: "lamp",
  summary: "a switch that is flipped or left alone; is the lamp on?",
  source: "docs/how-to/add-a-task.md",
  params,

  prepare({ commands, spacing }): Prepared {
    const spacings = [spacing].flat();
    return {
      words,
      variables: ["lamp"],
      values: ["off", "on"],
      maximumWords: 3 + commands + 3 * Math.floor(commands / Math.min(...spacings)),

      write(rng, sink) {
        const every = spacings[rng.below(spacings.length)];
        let lit = 0;
        const show = (revealed: boolean) => {
          sink.word(name);
          if (revealed) sink.reveal(0, lit); // the next word is what a tracker must know
          sink.word(off + lit);
          sink.word(newline);
        };
        show(false);
        sink.state([lit]);
        for (let done = 1; done <= commands; done++) {
          const flipped = rng.below(2);
          sink.word(flipped ? flip : wait);
          lit ^= flipped;
          sink.state([lit]);
          if (done % every === 0) show(true);
        }
      },

      // Whoever counts the flips is always right.
      references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
    };
  },
});
