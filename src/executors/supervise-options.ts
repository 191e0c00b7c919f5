/** @file What every command says that stands by an engine, and how a range of things is parted into shares. */

import type { PieceState, StandBy } from "./supervise.ts";

/** How it is stood by: all but the pieces themselves. */
export type Standing = Pick<
  StandBy,
  "engine" | "signal" | "detach" | "everySeconds" | "onLook" | "say" | "command"
>;

export const isEnded = ({ kind }: PieceState) => kind === "done" || kind === "failed";

/** The last words of those that failed. */
export const failuresOf = (states: readonly PieceState[]): string[] =>
  states.flatMap((state) => (state.kind === "failed" ? [state.words] : []));

export interface Share {
  readonly first: number;
  readonly last: number;
  /** `0-199`: a folder's name. */
  readonly name: string;
}

/** 0, 1, ... count - 1 by `size` of them. They do not depend on what is done: called again, a share is the same. */
export function sharesOf(count: number, size: number): Share[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => {
    const [first, last] = [i * size, Math.min(count, (i + 1) * size) - 1];
    return { first, last, name: `${first}-${last}` };
  });
}
