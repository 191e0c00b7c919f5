/**
 * @file CRUXEval's layout: for each program the answers extracted from its samples, in order.
 *
 *     {"sample_0": ["17", "18"], ...}
 *
 * A sample that ran out of tokens is an empty answer, which the evaluator counts as failed. Lost samples are left
 * out, and so are programs without any sample.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065.
 */

import { type AskExport, exportedTasks } from "./export.ts";

export const generations: AskExport = {
  summary: "CRUXEval's generations.json, one file per arm and direction",
  files: (input) =>
    exportedTasks(input).map(({ name, samples }) => {
      const answers: Record<string, string[]> = {};
      for (const { id, extracted } of samples) {
        answers[id] ??= [];
        answers[id].push(extracted ?? "");
      }
      return { name: `generations_${name}.json`, text: `${JSON.stringify(answers)}\n` };
    }),
};
