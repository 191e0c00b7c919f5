/** @file What `reproduce` shows while it runs: a line a training, and once the time that is left. */

import type { JobProgress } from "../../experiments/job.ts";
import { duration, type Progress } from "./progress.ts";

type Run = {
  readonly setting: string;
  readonly model: string;
  readonly config: { readonly seed: number; readonly train: { readonly steps: number } };
};

/** Progress lines, one a training; after 20 steps of each kind of model the time that is left in all is said once. */
export function showing(progress: Progress, workers: number) {
  let total = 0;
  let ended = 0;
  let told = false;
  const costs = new Map<string, number>(); // seconds a step, by model
  const nameOf = ({ setting, model, config }: Run) => `${setting} ${model} seed ${config.seed}`.trim();
  return {
    onStart: (_run: Run, runs: number) => {
      total = runs;
    },
    onProgress: (run: Run, event: JobProgress) => {
      const name = nameOf(run);
      const { steps } = run.config.train;
      if (event.kind === "start") {
        const mebibytes = Math.ceil(event.bytes / 2 ** 20);
        progress.say(
          `${name}: ${event.parameters} parameters, about ${mebibytes} MiB and ${duration(event.seconds)} of training`,
        );
      } else if (event.kind === "step") {
        const { step, loss, accuracy, tokensPerSecond, stage } = event;
        progress.update(name, { step, steps, loss, accuracy, tokensPerSecond, note: `stage ${stage}` });
        if (step >= 20) costs.set(run.model, event.secondsPerStep);
        if (!told && costs.size >= Math.min(workers, total)) {
          told = true;
          const mean = [...costs.values()].reduce((a, b) => a + b, 0) / costs.size;
          const left = ((total - ended) * steps * mean) / Math.min(workers, total);
          progress.say(`about ${duration(left)} left in all`);
        }
      } else progress.update(name, { step: steps, steps, note: `asked about ${event.test}` });
    },
    onEnd: (run: Run, how: "done" | "failed" | "stopped", words: string) => {
      ended++;
      const told = { done: "trained and tested", stopped: "stopped and saved", failed: `failed: ${words}` };
      progress.end(nameOf(run), told[how]);
    },
  };
}
