/** @file What a view is: one pure function from everything that has happened to what of it is shown. */

import type { EpisodeBegin } from "../../../schemas/agents.ts";
import type { History, Message } from "../history.ts";
import type { Entry } from "../registry.ts";

// biome-ignore lint/suspicious/noExplicitAny: without a name, one of any parameters
export interface View<Params = any> extends Entry<Params> {
  show(history: History, params: Params, begin: Pick<EpisodeBegin, "turns">): readonly Message[];
}
