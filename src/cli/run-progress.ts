/** @file What `reproduce` and `sweep` show while they run: a line a training, and once the time that is left. */

import type { PlannedRun, PlannedWork } from "../../experiments/runner/define.ts";
import { seedOf } from "../../experiments/runner/part.ts";
import type { RunProgress } from "../app/run/progress.ts";
import { duration } from "../core/format.ts";
import type { ProgressDisplay } from "../core/progress-reporter.ts";

type Planned = Pick<PlannedRun, "setting" | "model" | "config"> | Omit<PlannedWork, "options">;

/** Progress lines, one a training or part of work; after 20 steps of each kind of model the time that is left in all is said once. */
export function showing(progress: ProgressDisplay, workers: number) {
  let planned: readonly Planned[] = [];
  const ended = new Set<string>();
  let told = false;
  const costs = new Map<string, number>(); // seconds a step, by model
  const stepsOf = (part: Planned) => ("config" in part ? part.config.train.steps : 1);
  const nameOf = (part: Planned) =>
    [part.setting, part.model, `seed ${seedOf(part)}`].filter((each) => each !== "").join(" ");
  return {
    onWords: (words: readonly string[]) => {
      for (const sentence of words) progress.say(sentence);
    },
    onStart: (_part: Planned, all: readonly Planned[]) => {
      planned = all;
    },
    onProgress: (part: Planned, event: RunProgress) => {
      const name = nameOf(part);
      const steps = stepsOf(part);
      if (event.kind === "start") {
        const mebibytes = Math.ceil(event.bytes / 2 ** 20);
        progress.say(
          `${name}: ${event.parameters} parameters, about ${mebibytes} MiB and ${duration(event.seconds)} of training`,
        );
      } else if (event.kind === "step") {
        const { step, loss, accuracy, tokensPerSecond, stage } = event;
        progress.update(name, { step, steps, loss, accuracy, tokensPerSecond, note: `stage ${stage}` });
        if (step >= 20) costs.set(part.model, event.secondsPerStep);
        const atOnce = Math.min(workers, planned.length);
        if (!told && costs.size >= atOnce) {
          told = true;
          const mean = [...costs.values()].reduce((a, b) => a + b, 0) / costs.size;
          const seconds = (each: Planned) => stepsOf(each) * (costs.get(each.model) ?? mean);
          const left = planned.filter((each) => !ended.has(nameOf(each))).map(seconds);
          progress.say(`about ${duration(left.reduce((a, b) => a + b, 0) / atOnce)} left in all`);
        }
      } else if (event.kind === "warning") progress.say(event.sentence);
      else if (event.kind === "ask")
        progress.update(name, { step: steps, steps, note: `asked about ${event.test}` });
      else progress.update(name, { step: event.done, steps: event.of, note: "measuring" });
    },
    onEnd: (part: Planned, how: "done" | "failed" | "stopped", words: string) => {
      ended.add(nameOf(part));
      const [done, stopped] =
        "config" in part
          ? ["trained and tested", "stopped and saved"]
          : ["measured", "stopped, begins again"];
      const told = { done, stopped, failed: `failed: ${words}` };
      progress.end(nameOf(part), told[how]);
    },
  };
}
