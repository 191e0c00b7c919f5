/**
 * @file What is forgotten of a group when others are learned after it, by the share of old programs.
 *
 *     stages        Z_2     then Z_3     then S_3, each until 98 % are right or for so many steps
 *     forgetting    right at the end of its own stage, less right at the very end
 */

import { RunConfig } from "../../src/records/run.ts";
import type { Measurements, Measuring, PlannedWork } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";
import { openLesson } from "./lesson.ts";

export const GROUPS = ["Z_2", "Z_3", "S_3"] as const;

export interface ForgettingSettings {
  readonly model: object;
  /** Of each stage, at most. */
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  /** Of old programs; 0 is none. */
  readonly replays: readonly number[];
  readonly programs: number;
}

export const rightOnGroup = defineMeasurement({
  id: "rightOnGroup",
  label: "right on each group",
  at: { replay: "share of old programs", group: "group" },
  values: { learned: "when its stage ended", end: "at the end" },
});

function configOf(setup: ForgettingSettings, replay: number, seed: number): RunConfig {
  const { model, steps, batch, learningRate } = setup;
  const parts = [{ share: 1 - replay }, ...(replay > 0 ? [{ share: replay, replay: true }] : [])];
  return RunConfig.parse({
    seed,
    task: { name: "group-words", vocabulary: GROUPS, length: [2, 8] },
    model: { name: "gru", ...model },
    train: { steps: GROUPS.length * steps, batch, learningRate },
    curriculum: {
      stages: GROUPS.map((group) => [{ group }]),
      ...{ accuracy: 0.98, memory: 2000, maximumSteps: steps },
    },
    teach: { mixture: { parts } },
  });
}

export async function* measureForgetting({ seed, options }: PlannedWork): Measuring {
  const setup = options.forgetting as ForgettingSettings; // from the plan
  const { replays, programs, steps } = setup;
  const most = GROUPS.length * steps;
  const rows: Measurements[number][] = [];
  for (const [i, replay] of replays.entries()) {
    const lesson = openLesson(configOf(setup, replay, seed));
    const right = async (group: string) => (await lesson.ask({ group }, programs)).accuracy;
    try {
      const learned: number[] = [];
      let last = 0;
      for await (const { step } of lesson.steps()) {
        yield { done: i * most + step, of: replays.length * most };
        const { stage, stepsInStage } = lesson.trainer.state().progress;
        if (stage > last) learned.push(await right(GROUPS[last]));
        last = stage;
        // The last stage ends as the others do, without one behind it.
        if (stage === GROUPS.length - 1 && stepsInStage >= steps) break;
      }
      learned.push(await right(GROUPS[last]));
      for (const [j, group] of GROUPS.slice(0, learned.length).entries())
        rows.push(
          rightOnGroup.row({
            model: "gru",
            at: { replay, group },
            values: { learned: learned[j], end: await right(group) },
          }),
        );
    } finally {
      await lesson.release();
    }
  }
  return rows;
}
