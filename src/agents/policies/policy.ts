/** @file What a policy is: from what is shown to a reply. It sees nothing else, and so may be a script or a model. */

import type { Rng } from "../../math/rng.ts";
import type { Entry } from "../entry.ts";
import type { Shown } from "../history.ts";

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface Policy<Params = any> extends Entry<Params> {
  /** The worlds whose tasks it can read. */
  readonly worlds: readonly string[];
  decide(shown: Shown, params: Params, rng: Rng): string;
}
