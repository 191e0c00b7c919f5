/** @file What a search shows while it runs: a line a trial, and one as each rung begins. */

import type { PlannedTrial } from "../app/search/plan.ts";
import type { SearchOptions } from "../app/search/search.ts";
import { progressOn } from "./progress.ts";

type Shown = Required<Pick<SearchOptions, "onRung" | "onProgress" | "onEnd">>;

export function searchProgress(): Shown & { say(sentence: string): void; close(): void } {
  const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
  const nameOf = ({ trial }: PlannedTrial) => `trial ${trial}`;
  return {
    say: (sentence) => progress.say(sentence),
    close: () => progress.close(),
    onRung: (rung, of, trials, programs) =>
      progress.say(`rung ${rung + 1} of ${of}: ${trials.length} trials to ${programs} programs`),
    onProgress(trial, event) {
      const { steps } = trial.config.train;
      if (event.kind !== "step") return;
      const { step, loss, accuracy, tokensPerSecond, stage } = event;
      progress.update(nameOf(trial), {
        ...{ step, steps, loss, accuracy, tokensPerSecond },
        note: `stage ${stage}`,
      });
    },
    onEnd: (trial, how, words) => progress.end(nameOf(trial), how === "failed" ? `failed: ${words}` : how),
  };
}
