/** @file How right a model is on the programs that are analysed. */

import { z } from "zod";
import { clusteredMean } from "../core/cluster-robust.ts";
import type { Asked, Recording } from "./recording.ts";
import { Interval } from "./seed-aggregate.ts";

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

/** The answers to one program are alike, so the interval is over programs. */
export function meanAccuracy(programs: readonly Asked[]): { accuracy: number; interval: Interval } {
  const { share, interval } = clusteredMean(programs);
  return { accuracy: share, interval };
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
    ...meanAccuracy(asked),
    references,
    byCommands: [...byCommands]
      .sort(([a], [b]) => a - b)
      .map(([commands, at]) => ({ commands, asked: at.asked, accuracy: at.right / at.asked })),
  };
}
