/** @file How right a model is on the programs that are analysed. */

import { z } from "zod";
import { wilsonInterval } from "../math/statistics.ts";
import type { Asked } from "./intervention.ts";
import type { Recording } from "./recording.ts";
import { Interval } from "./seeds.ts";

export const ModelAccuracy = z.strictObject({
  questions: z.int(),
  accuracy: z.number(),
  interval: Interval,
  /** Accuracy of computed solvers on the same programs, by name. */
  references: z.record(z.string(), z.number()),
  /** By the number of commands before the question. */
  byCommands: z.array(z.strictObject({ commands: z.int(), asked: z.int(), accuracy: z.number() })),
});
export type ModelAccuracy = z.infer<typeof ModelAccuracy>;

/** Wilson's interval. Questions of one program are taken as independent: where they are not, it is too narrow. */
export function accuracyOf(programs: readonly Asked[]): { accuracy: number; interval: Interval } {
  const asked = programs.reduce((sum, program) => sum + program.asked, 0);
  const right = programs.reduce((sum, program) => sum + program.right, 0);
  return { accuracy: asked === 0 ? 0 : right / asked, interval: wilsonInterval(right, asked) };
}

export function modelAccuracy(
  { programs, answers }: Pick<Recording, "programs" | "answers">,
  references: Readonly<Record<string, number>>,
): ModelAccuracy {
  const byCommands = new Map<number, { asked: number; right: number }>();
  const asked = programs.map(({ questions, commands }, i) => {
    let right = 0;
    for (const [k, { position, value }] of questions.entries()) {
      const at = byCommands.get(commands[position]) ?? { asked: 0, right: 0 };
      byCommands.set(commands[position], at);
      const hit = answers[i][k] === value ? 1 : 0;
      at.asked++;
      at.right += hit;
      right += hit;
    }
    return { asked: questions.length, right };
  });
  return {
    questions: asked.reduce((sum, each) => sum + each.asked, 0),
    ...accuracyOf(asked),
    references,
    byCommands: [...byCommands]
      .sort(([a], [b]) => a - b)
      .map(([commands, at]) => ({ commands, asked: at.asked, accuracy: at.right / at.asked })),
  };
}
