/** @file Progress and summaries of trainings: for `train`, `train --resume`, `sweep`, `reproduce` and searches. */

import type { PlannedRun, PlannedWork } from "../../../experiments/runner/define.ts";
import type { RunProgress } from "../../app/run/execute.ts";
import type { Reached } from "../../app/run/results.ts";
import type { TrainRunOptions, TrainRunResult } from "../../app/run/train.ts";
import type { PlannedTrial } from "../../app/search/plan.ts";
import type { SearchOptions } from "../../app/search/search.ts";
import { keyNamed } from "../../core/did-you-mean.ts";
import { duration, shellWord } from "../../core/format.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { keyPaths } from "../../core/settings.ts";
import { percent } from "../../report/shares.ts";
import { textTable } from "../../report/text-table.ts";
import { stalledWords } from "../../schemas/convergence.ts";
import { RunConfig, type StepRecord } from "../../schemas/run-config.ts";
import { flag, setOption } from "./flags.ts";
import { progressOn } from "./progress.ts";

/** `--set` of a run's configuration: an unknown flag may mean one of its keys. */
export const configSetOption = {
  ...setOption,
  keyNamed(flag: string) {
    const paths = keyPaths(RunConfig);
    const former = `train.${flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
    const renamed = RunConfig.meta()?.renamed as Readonly<Record<string, string>>;
    if (Object.hasOwn(renamed, former)) return renamed[former];
    const key = keyNamed(flag, paths);
    return paths.includes(`${key}.name`) ? `${key}.name` : key;
  },
};

type Planned = Pick<PlannedRun, "setting" | "model" | "config"> | Omit<PlannedWork, "options">;

/** One progress line per training or part; after 20 steps of each model in each setting, an estimate of the total time left. */
export function showing(progress: ProgressDisplay, workers: number) {
  let planned: readonly Planned[] = [];
  const ended = new Set<string>();
  const first = new Map<string, number>(); // step, by part: above 1 after a resume, and slow
  const reached = new Map<string, number>(); // step, by part
  const costs = new Map<string, number>(); // seconds a step, by setting and model
  const kindOf = (part: Planned) => `${part.setting} ${part.model}`;
  const stepsOf = (part: Planned) => ("config" in part ? part.config.train.steps : 1);
  const seedOf = (part: Planned) => ("config" in part ? part.config.seed : part.seed);
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
        if (!first.has(name)) first.set(name, step);
        reached.set(name, step);
        if (step < first.get(name)! + 20 || costs.has(kindOf(part))) return;
        costs.set(kindOf(part), event.secondsPerStep);
        const remaining = planned.filter((each) => !ended.has(nameOf(each)));
        const atOnce = Math.min(workers, remaining.length);
        if (costs.size < Math.min(atOnce, new Set(remaining.map(kindOf)).size)) return;
        const mean = [...costs.values()].reduce((a, b) => a + b, 0) / costs.size;
        const left = remaining.map(
          (each) => (stepsOf(each) - (reached.get(nameOf(each)) ?? 0)) * (costs.get(kindOf(each)) ?? mean),
        );
        progress.say(`about ${duration(left.reduce((a, b) => a + b, 0) / atOnce)} left in total`);
      } else if (event.kind === "warning") progress.say(event.sentence);
      else if (event.kind === "ask")
        progress.update(name, { step: steps, steps, note: `testing ${event.test}` });
      else progress.update(name, { step: event.done, steps: event.of, note: "measuring" });
    },
    onEnd: (part: Planned, how: "done" | "failed" | "stopped", words: string) => {
      ended.add(nameOf(part));
      const [done, stopped] =
        "config" in part
          ? ["trained and tested", "stopped and saved"]
          : ["measured", "stopped, will restart"];
      const told = { done, stopped, failed: `failed: ${words}` };
      progress.end(nameOf(part), told[how]);
    },
  };
}

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

interface Voice {
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** The summary of a finished training with next commands. */
function endOf(folder: string, reached: Reached | undefined): string[] {
  const next = [
    `Test it: statelab evaluate ${shellWord(folder)}`,
    `Show it: statelab report ${shellWord(folder)}`,
  ];
  if (reached === undefined) return next;
  const { loss, stages, heldOut, range } = reached;
  const table = textTable({
    columns: ["stage", "hardest", "steps", "accuracy"],
    rows: stages.map(({ hardest, first, last, accuracy }, i) => [
      ...[String(i + 1), hardest, `${first} to ${last}`],
      percent(accuracy),
    ]),
  });
  const held = heldOut && `held-out programs after step ${heldOut.step}: ${percent(heldOut.accuracy)}`;
  const found = range === undefined ? [] : [rangeWords(range)];
  return [`last loss: ${loss.toPrecision(3)}`, table.trimEnd(), ...(held ? [held] : []), ...found, ...next];
}

function rangeWords({ fastest, lowest }: NonNullable<Reached["range"]>): string {
  if (fastest === undefined) return "learning rates: the loss did not fall";
  const rose = lowest === undefined ? "it did not rise" : `it rose beyond ${lowest.toPrecision(2)}`;
  return `learning rates: the loss fell fastest at ${fastest.toPrecision(2)}; ${rose}`;
}

export const logOption = flag.choice(
  "TOOL",
  "also write an event file that TensorBoard shows while it grows",
  ["tensorboard"],
);

/** Training options that draw progress; `finish` prints the result and returns the exit code. */
export function reporting(folder: string, steps: number, { json, print, say, signal }: Voice) {
  const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
  const streamNote = streamNotes();
  const options: TrainRunOptions = {
    signal,
    onWarning: (sentence) => progress.say(sentence),
    onStart: ({ model, parameters, estimate: { bytes, seconds }, from }) => {
      const begun = from === 0 ? "" : `, from step ${from}`;
      const cost = `about ${Math.ceil(bytes / 2 ** 20)} MiB and ${duration(seconds)}`;
      progress.say(`${model.architecture.name}: ${parameters} parameters, ${steps} steps${begun}; ${cost}`);
    },
    onStep: (record: StepRecord) => {
      const { step, loss, runningAccuracy, tokens, seconds, stage } = record;
      const fed = streamNote(record);
      progress.update(folder, {
        step,
        steps,
        loss,
        accuracy: runningAccuracy,
        tokensPerSecond: tokens / seconds,
        note: [`stage ${stage + 1}`, ...fed].join(", "),
      });
    },
  };
  return {
    options,
    finish({ step, finished, last, stalled, best, reached, frozen }: TrainRunResult): number {
      progress.close();
      const came = {
        loss: last?.loss,
        accuracy: last?.runningAccuracy,
        ...(reached && {
          stages: reached.stages,
          ...(reached.heldOut && { heldOut: reached.heldOut }),
          ...(reached.range && { range: reached.range }),
        }),
        ...(stalled && { stalled }),
        ...(best && { best }),
        ...(frozen && { frozen }),
      };
      const summary = { run: folder, step, finished, ...came };
      if (json) print(JSON.stringify(summary));
      else if (finished) print([`${folder}: ${step} steps done`, ...endOf(folder, reached)].join("\n"));
      if (finished && best !== undefined) {
        const when = best.step === step ? "" : `: statelab evaluate ${shellWord(folder)} --checkpoint best`;
        say(
          `statelab: ${folder}: held-out answers were best after step ${best.step}, ${percent(best.heldOut)}${when}`,
        );
      }
      if (finished && stalled !== undefined) say(`statelab: ${folder}: ${stalledWords(stalled)}`);
      if (!finished)
        say(
          `statelab: stopped after step ${step}, saved. Continue: statelab train --resume ${shellWord(folder)}`,
        );
      return finished ? 0 : 1;
    },
  };
}

/** Window in steps for the share of waiting. */
const RECENT = 20;

/** For streamed examples: their staleness, how many are unread, and the share of time spent waiting. */
function streamNotes(): (record: StepRecord) => string[] {
  const recent: { readonly seconds: number; readonly waited: number }[] = [];
  return ({ seconds, waited, unread, staleness }) => {
    if (waited === undefined) return [];
    recent.push({ seconds, waited });
    if (recent.length > RECENT) recent.shift();
    const sum = (of: "seconds" | "waited") => recent.reduce((total, each) => total + each[of], 0);
    return [
      ...(staleness === undefined ? [] : [`staleness ${staleness}`]),
      ...[`${unread} unread`, `waits ${Math.round((100 * sum("waited")) / sum("seconds"))} %`],
    ];
  };
}
