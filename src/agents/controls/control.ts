/** @file What a control is: who chooses the next move, the policy alone or something around it. */

import type { Rng } from "../../math/rng.ts";
import type { Entry } from "../entry.ts";

export interface Asking {
  /** Another reply to the same prompt. */
  ask(): Promise<string>;
  /** Whether a reply is right, as the world knows; a checker sees it through its own errors. */
  readonly isRight: ((reply: string) => boolean) | undefined;
  /** Of this turn alone. */
  readonly rng: Rng;
}

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface Control<Params = any> extends Entry<Params> {
  /** Whether the world has to say which replies are right. */
  readonly checks: boolean;
  /** Every reply that was asked for; the last one is run. */
  choose(asking: Asking, params: Params): Promise<string[]>;
}
