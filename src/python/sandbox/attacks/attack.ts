/**
 * @file What an attack is: a program that tries to get out, to take more than it may, or to lie about how it ended, with
 * the ends that are right.
 *
 *     { name: "file outside, read", code: ({ file }) => `open(${...}).read()`, right: ["raised FileNotFoundError"] }
 *
 * A program that is run is written so that it passes if the attack works. "passed" is never a right end.
 */

import type { HostName, Limits } from "../host.ts";

/** What stands outside of the sandbox to be attacked. */
export interface Target {
  /** A file with a secret, which every user can read. */
  readonly file: string;
  /** An empty folder in which every user can write. */
  readonly folder: string;
  /** Of a server on 127.0.0.1 that counts its callers. */
  readonly port: number;
  /** An environment variable of the host's process. */
  readonly variable: string;
}

export interface Attack {
  readonly name: string;
  readonly code: (target: Target) => string;
  /** A call: the code is then traced and proven, not only run. */
  readonly trace?: string;
  readonly limits?: Partial<Limits>;
  /** Kinds of outcome, or "raised X", "assertion", "proven", "not proven" of one that is done. Where the hosts differ, for each. */
  readonly right: readonly string[] | Readonly<Record<HostName, readonly string[]>>;
}

/** Too short for what never ends. */
export const brief = { wallSeconds: 0.5 };
