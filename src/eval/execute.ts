/**
 * @file The function that runs programs, passed in by the caller so that no answer runs outside of a sandbox; errors of one answer.
 *
 *     await forOneAnswer(execute, (execute) => gradeCall(answer, question, execute), unreadable)
 *
 * If the grader itself fails on an answer, that is the outcome of this answer. Failures of the sandbox and of the data pass through.
 */

import { errorText, LabError } from "../core/error.ts";

export interface Program {
  readonly code: string;
  /**
   * Evaluated after the code; the program passes if it is true. The program never sees the literal of `call ==
   * literal`.
   */
  readonly expression?: string;
  /** For such an equality: whether types must be equal too, at every depth. */
  readonly typed?: boolean;
}

export type Execution =
  | { readonly kind: "passed" }
  /** A failed assertion, an exception, invalid code, or an exceeded limit. */
  | { readonly kind: "failed"; readonly words: string };

/** Runs a program in a sandbox. Rejects if there is no sandbox or on abort, never because of the program. */
export type Execute = (program: Program) => Promise<Execution>;

/** The result of `judge`, or of `faulty` with the message if the grader itself throws. */
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
    return faulty(`the answer could not be judged: ${errorText(error)}`);
  }
}
