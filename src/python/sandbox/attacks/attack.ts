/**
 * @file Interface of an attack: a program that tries to escape, to exceed its limits, or to forge its outcome, with
 * the allowed outcomes.
 *
 *     { name: "file outside, read", code: ({ file }) => `open(${...}).read()`, right: ["raised FileNotFoundError"] }
 *
 * Programs that are run pass if the attack succeeds. "passed" is never an allowed outcome.
 */

import type { HostName, Limits } from "../host.ts";

/** Targets outside of the sandbox. */
export interface Target {
  /** A file with a secret, which every user can read. */
  readonly file: string;
  /** An empty folder in which every user can write. */
  readonly folder: string;
  /** Port of a server on 127.0.0.1 that counts connections. */
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
  /**
   * Allowed kinds of outcome, or "raised X", "assertion", "proven", "not proven" for completed programs; per host if
   * they differ.
   */
  readonly right: readonly string[] | Readonly<Record<HostName, readonly string[]>>;
}

/** Too short for what never ends. */
export const brief = { wallSeconds: 0.5 };
