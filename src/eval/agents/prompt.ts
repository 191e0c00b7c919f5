/** @file What is shown at a turn, and whether anybody is asked: the same for an episode that runs and one that is replayed. */

import type { Past } from "./controllers/controller.ts";
import type { History, Shown } from "./history.ts";
import type { AgentPlan } from "./plan.ts";

export interface Prompt {
  readonly shown: Shown;
  readonly past: Past;
  /** The only reply that there is: nobody is asked. */
  readonly forced: string | undefined;
}

export function promptOf({ world, view, control, begin }: AgentPlan, task: string, history: History): Prompt {
  const past = { calls: history.flatMap(({ calls }) => calls), tools: world.entry.tools };
  const guide = control.entry.guide?.(past, control.params) ?? "";
  const messages = view.entry.show(history, view.params, begin);
  return {
    shown: {
      task: guide === "" ? task : `${task}\n${guide}`,
      ...{ messages, turn: history.length, turns: begin.turns },
    },
    past,
    forced: control.entry.forced?.(past, control.params),
  };
}
