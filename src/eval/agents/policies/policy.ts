/** @file What a policy is: from what is shown to a reply. It sees nothing else, and so may be a script or a model. */

import type { Rng } from "../../../core/rng.ts";
import type { Shown } from "../history.ts";
import type { Entry } from "../registry.ts";

interface Any<Params> extends Entry<Params> {
  /** The worlds whose tasks it can read; of a model that reads any there is none. */
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

/** A model that somebody else asks: this says in what words, and what of its reply is run. */
// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface AskedPolicy<Params = any> extends Any<Params> {
  readonly kind: "asked";
  /** `runtime` is the name of where the reply will be run. */
  prompt(shown: Shown, params: Params, runtime: string): string;
  /** The cell in a reply; a reply without one is run as it stands. */
  read(reply: string, shown: Shown, params: Params): string;
  /** What ends a reply, and how long it may be where the user has not said it. */
  readonly stop: readonly string[];
  readonly replyTokens: number;
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export type Policy<Params = any> = ScriptedPolicy<Params> | AskedPolicy<Params>;
