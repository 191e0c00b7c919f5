/**
 * @file Step: opens the `lock` by the script `tracking`, at the step that the view `self` names, or else that after the shown turns.
 *
 *     step 4 of 40; calls 3       enter(the fourth digit)
 */

import { z } from "statelab";
import { definePolicy, policies } from "statelab/eval";

export default definePolicy({
  name: "step",
  summary: "tracks the state of the lock at the step that it is shown",
  worlds: ["lock"],
  params: z.strictObject({}),

  decide(shown, _, rng) {
    const { tracking } = policies;
    if (tracking?.kind !== "scripted") throw new Error("statelab has no script named tracking");
    const step = /^step (\d+) of/m.exec(shown.messages.at(-1)?.text ?? "")?.[1];
    const turn = step === undefined ? shown.messages.length / 2 : Number(step) - 1;
    return tracking.decide({ ...shown, turn }, { error: 0 }, rng);
  },
});
