/** @file What `train` and `resume` say while they work and when they end. */

import type { Reached } from "../app/run/final-metrics.ts";
import type { TrainRunOptions, TrainRunResult } from "../app/run/train.ts";
import { duration } from "../core/format.ts";
import { shellWord } from "../core/shell-word.ts";
import { percent } from "../report/shares.ts";
import { textTable } from "../report/text-table.ts";
import { stalledWords } from "../schemas/curriculum-status.ts";
import type { StepRecord } from "../schemas/run-config.ts";
import { progressOn } from "./progress.ts";

interface Voice {
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** What it came to, and what can be done now. */
function endOf(folder: string, reached: Reached | undefined): string[] {
  const next = [
    `Ask it: statelab evaluate ${shellWord(folder)}`,
    `See it: statelab report ${shellWord(folder)}`,
  ];
  if (reached === undefined) return next;
  const { loss, stages, heldOut } = reached;
  const table = textTable({
    columns: ["stage", "hardest", "steps", "accuracy"],
    rows: stages.map(({ hardest, first, last, accuracy }, i) => [
      ...[String(i + 1), hardest, `${first} to ${last}`],
      percent(accuracy),
    ]),
  });
  const held = heldOut && `held-out programs after step ${heldOut.step}: ${percent(heldOut.accuracy)}`;
  return [`the last loss: ${loss.toPrecision(3)}`, table.trimEnd(), ...(held ? [held] : []), ...next];
}

/** Options for the training that show it, and what to do with its result (the exit code). */
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
        ...(reached && { stages: reached.stages, ...(reached.heldOut && { heldOut: reached.heldOut }) }),
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
        say(`statelab: stopped after step ${step}, saved. Go on by: statelab resume ${shellWord(folder)}`);
      return finished ? 0 : 1;
    },
  };
}

/** Steps over which a share of waiting is told. */
const RECENT = 20;

/** Of a training whose examples other processes make: how old they are, how many wait, and how much of its time it waits. */
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
