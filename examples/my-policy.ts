/**
 * @file Careful: edits the files of `refactor` in their order, and looks in what is shown which of them are done.
 *
 *     task            ... these files: a.py, b.py, c.py
 *     assistant       edit("a.py")
 *     now             edit("b.py")
 *
 * With `careful.pass=0.1` it edits one at random now and then. See docs/how-to/agents.md.
 */

import { z } from "statelab";
import { definePolicy } from "statelab/eval";

const params = z.strictObject({
  /** Probability of not looking. */
  pass: z.number().min(0).max(1).default(0),
});

export default definePolicy<z.infer<typeof params>>({
  name: "careful",
  summary: "edits the first file that it does not see edited (careful.pass)",
  worlds: ["refactor"],
  params,

  decide({ task, messages }, { pass }, rng) {
    const files = /these files: (.*)$/m.exec(task)?.[1].split(", ") ?? [];
    const shown = messages.map(({ text }) => text).join("\n");
    const open = files.filter((file) => !shown.includes(`edit("${file}")`));
    const file = open.length === 0 || rng.next() < pass ? files[rng.below(files.length)] : open[0];
    return `edit("${file}")`;
  },
});
