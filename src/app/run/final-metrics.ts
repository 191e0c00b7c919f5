/** @file What a training came to, by its log: the last loss, the accuracy at the end of each stage, the last held-out answers. */

import type { RunConfig } from "../../schemas/run-config.ts";
import { testName } from "../../schemas/test-result.ts";
import { stepsOf } from "./stage-reached.ts";

export interface Reached {
  readonly loss: number;
  /** Those that were trained, in their order. */
  readonly stages: readonly {
    /** What its hardest examples are. */
    readonly hardest: string;
    readonly first: number;
    readonly last: number;
    /** On the recent reveals of the hardest, at its last step. */
    readonly accuracy: number;
  }[];
  /** Of held-out programs, when they were asked last. */
  readonly heldOut?: { readonly step: number; readonly accuracy: number };
}

/** undefined where no step was trained. */
export function reachedIn(
  folder: string,
  { curriculum }: Pick<RunConfig, "curriculum">,
): Reached | undefined {
  const records = stepsOf(folder, { curriculum });
  const end = records.at(-1);
  if (end === undefined) return undefined;
  const stages = curriculum.stages.flatMap((changes, stage) => {
    const own = records.filter((record) => record.stage === stage);
    if (own.length === 0) return [];
    const { step: last, runningAccuracy: accuracy } = own.at(-1)!;
    return [{ hardest: testName(changes.at(-1)!), first: own[0].step, last, accuracy }]; // a stage has one change at least
  });
  const asked = records.findLast(({ heldOut }) => heldOut !== undefined);
  return {
    ...{ loss: end.loss, stages },
    ...(asked?.heldOut !== undefined && { heldOut: { step: asked.step, accuracy: asked.heldOut } }),
  };
}
