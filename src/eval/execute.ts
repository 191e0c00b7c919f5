/**
 * @file The function that runs programs, passed in by the caller so that no answer runs outside of a sandbox; errors of one answer.
 *
 *     await forOneAnswer(execute, (execute) => gradeCall(answer, question, execute), unreadable)
 *
 * If the grader itself fails on an answer, that is the outcome of this answer. Failures of the sandbox and of the data pass through.
 */

import { LabError } from "../core/error.ts";

export interface Program {
  readonly code: string;
  /** Evaluated after the code; the program passes where it is true. The literal of `call == literal` never meets the program. */
  readonly expression?: string;
  /** Of such an equality: whether the types have to be the same as well, all the way down. */
  readonly typed?: boolean;
}

export type Execution =
  | { readonly kind: "passed" }
  /** An assertion failed, an exception was raised, it is no program, or it hit a limit. */
  | { readonly kind: "failed"; readonly words: string };

/** Runs a program in a sandbox. Rejects where there is none, and when it is told to stop: never for a program's own fault. */
export type Execute = (program: Program) => Promise<Execution>;

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
