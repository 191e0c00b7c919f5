/** @file How an analysis reaches into a model: functions that are handed to it, since it reads records and never a model. */

export interface HeadPlace {
  readonly layer: number;
  readonly head: number;
}

export const ablationKinds = ["zero", "mean"] as const;
export type AblationKind = (typeof ablationKinds)[number];

/** Questions of one program, and how many were answered right. */
export interface Asked {
  readonly asked: number;
  readonly right: number;
}

/** Asks the model about every program, with one head silenced where one is named. */
export type AblatedForward = (
  silenced?: HeadPlace & { readonly kind: AblationKind },
) => Promise<readonly Asked[]>;

/** Two programs that differ in one command. */
export interface ProgramPair {
  readonly tokens: readonly string[];
  readonly changed: readonly string[];
  /** The first question whose answers differ. */
  readonly position: number;
  readonly answer: number;
  readonly changedAnswer: number;
  /** The place of each token up to there, one of `sitesOf`. */
  readonly sites: readonly string[];
}

export type Patch = HeadPlace & {
  /** Per pair, the tokens at which the head reads as in the program. */
  readonly tokens: readonly (readonly number[])[];
};

/**
 * Lets the model read one of the two programs of every pair, and answers for each the logit of the program's answer less that of
 * the changed one's.
 */
export type PatchedForward = (
  which: "program" | "changed",
  patch?: Patch,
) => Promise<readonly number[]> | readonly number[];
