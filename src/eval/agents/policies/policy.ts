/** @file Interface of a policy: maps the shown messages to a reply. Scripted, or a prompt for a model. */

import type { Rng } from "../../../core/rng.ts";
import type { Shown } from "../history.ts";
import type { Entry } from "../registry.ts";

interface Any<Params> extends Entry<Params> {
  /** The worlds whose tasks it can read; undefined: any. */
  readonly worlds?: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface ScriptedPolicy<Params = any> extends Any<Params> {
  readonly kind: "scripted";
  decide(shown: Shown, params: Params, rng: Rng): string;
}

/** One of a user's own file: `export default definePolicy({ ... })`. */
export const definePolicy = <Params>(
  policy: Omit<ScriptedPolicy<Params>, "kind">,
): ScriptedPolicy<Params> => ({
  ...policy,
  kind: "scripted",
});

/** A policy that prompts a model: defines the prompt and how the reply is parsed. The caller sends the request. */
// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface AskedPolicy<Params = any> extends Any<Params> {
  readonly kind: "asked";
  /** `runtime`: the name of the runtime that runs the reply. */
  prompt(shown: Shown, params: Params, runtime: string): string;
  /** The cell in a reply; without marks the whole reply. */
  read(reply: string, shown: Shown, params: Params): string;
  /** Stop texts and maximum length of a reply, if the user sets none. */
  readonly stop: readonly string[];
  readonly replyTokens: number;
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export type Policy<Params = any> = ScriptedPolicy<Params> | AskedPolicy<Params>;
