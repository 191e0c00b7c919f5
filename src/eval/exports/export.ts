/**
 * @file An asking in the files of another tool. One file of this folder is one tool; to add one: its file, its test, and one line in
 * `index.ts`.
 */

import type { AskResults, SampleRecord } from "../../schemas/eval.ts";

export interface Exported {
  readonly name: string;
  readonly text: string;
}

export interface ExportInput {
  readonly results: AskResults;
  /** Sorted by name. */
  readonly samples: readonly SampleRecord[];
  /** When it was made: milliseconds since 1970. */
  readonly now: number;
}

export interface AskExport {
  readonly summary: string;
  files(input: ExportInput): Promise<readonly Exported[]> | readonly Exported[];
}

/** The samples of each arm and direction: what other tools call a task. */
export function exportedTasks({ results, samples }: ExportInput) {
  return results.arms.map((arm) => {
    const own = samples.filter((sample) => sample.arm === arm.arm && sample.predict === arm.predict);
    return {
      ...{ name: `${results.bench}_${arm.arm}_${arm.predict}`, arm, samples: own },
      rightIn: rightByProgram(own, results),
    };
  });
}

/** The programs that the figures are over (results.ts), each with how many of its samples are right. */
function rightByProgram(
  samples: readonly SampleRecord[],
  { samples: wanted, missing }: AskResults,
): ReadonlyMap<string, number> {
  const programs = new Map<string, { counted: number; right: number }>();
  for (const { id, verdict } of samples) {
    const program = programs.get(id) ?? { counted: 0, right: 0 };
    programs.set(id, program);
    if (verdict !== "out-of-tokens" || missing !== "excluded") program.counted++;
    if (verdict === "correct") program.right++;
  }
  return new Map(
    [...programs].flatMap(([id, { counted, right }]) => (counted === wanted ? [[id, right]] : [])),
  );
}
