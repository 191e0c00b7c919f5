/**
 * @file One answer is judged without harm to the others: where the judge itself fails on it, that is this answer's outcome.
 *
 *     await forOneAnswer(execute, (execute) => gradeCall(answer, question, execute), unreadable)
 *
 * What the sandbox reports (none there, told to stop) and what is wrong with the data are no answer's fault: they go through.
 */

import { LabError } from "../../core/error.ts";
import type { Execute } from "../execute.ts";

/** What `judge` gives, or `faulty` with the words of an error of its own. */
export async function forOneAnswer<Outcome>(
  execute: Execute,
  judge: (execute: Execute) => Promise<Outcome>,
  faulty: (words: string) => Outcome,
): Promise<Outcome> {
  let trouble: { readonly reason: unknown } | undefined;
  const watched: Execute = async (program) => {
    try {
      return await execute(program);
    } catch (reason) {
      trouble = { reason };
      throw reason;
    }
  };
  try {
    return await judge(watched);
  } catch (error) {
    if (trouble !== undefined) throw trouble.reason;
    if (error instanceof LabError) throw error;
    return faulty(
      `the answer could not be judged: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
