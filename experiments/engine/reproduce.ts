/** @file One experiment after the other. Of `all`, which is long, what an interrupted call has finished is not run again. */

import { shellWord } from "../../src/records/shell-word.ts";
import type { Experiment } from "./experiment.ts";
import { finishedResult, type Ran, type RunOptions, runExperiment } from "./run.ts";

type Listeners = Pick<RunOptions, "onWords" | "onStart" | "onProgress" | "onEnd">;

export interface ReproduceOptions
  extends Pick<
    RunOptions,
    "scale" | "budget" | "options" | "seeds" | "folder" | "jobs" | "device" | "standing" | "signal"
  > {
  /** Whether the result of a finished call with the same command is taken as it is. */
  readonly passOver: boolean;
  /** Before each: who listens to it. */
  readonly onBegin: (experiment: Experiment, finishedBefore: boolean) => Listeners;
}

export interface Reproduced {
  readonly experiment: Experiment;
  readonly ran: Ran;
}

/** Ends after one that was interrupted. */
export async function* reproduce(
  wanted: readonly Experiment[],
  { passOver, onBegin, ...options }: ReproduceOptions,
): AsyncGenerator<Reproduced> {
  for (const experiment of wanted) {
    const command = commandOf(experiment, options);
    const before = passOver ? await finishedResult(experiment, { ...options, command }) : undefined;
    const listeners = onBegin(experiment, before !== undefined);
    const ran: Ran =
      before !== undefined
        ? { result: before, failures: [], interrupted: false }
        : await runExperiment(experiment, {
            ...options,
            ...listeners,
            command,
            date: new Date().toISOString().slice(0, 10),
            now: () => performance.now(),
          });
    yield { experiment, ran };
    if (ran.interrupted) return;
  }
}

/** What a reader would type to have the same. */
function commandOf(
  { name }: Experiment,
  {
    scale,
    budget,
    options = {},
    seeds,
    device,
  }: Pick<RunOptions, "scale" | "budget" | "options" | "seeds" | "device">,
): string {
  return [
    `statelab reproduce ${name} --scale ${scale} --seeds ${seeds.length}`,
    ...(seeds[0] === 0 ? [] : [`--seed ${seeds[0]}`]),
    ...(budget === "full" ? ["--budget full"] : []),
    ...Object.entries(options).map(([name, value]) => `--${name} ${shellWord(value)}`),
    ...(device === undefined ? [] : [`--device ${device}`]),
  ].join(" ");
}
