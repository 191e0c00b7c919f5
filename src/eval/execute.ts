/** @file How this room runs a program: a function that the caller hands in, so that no answer runs outside of a sandbox. */

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
