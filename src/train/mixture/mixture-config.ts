/**
 * @file What `teach.mixture` says of a training's data: its parts, each a change of the task, an objective around it, or programs
 * of earlier stages.
 *
 *     mixture: { parts: [{ share: 3 }, { objective: copy }] }        three programs as they are to one that is copied
 */

import { fail } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Prepared } from "../../tasks/task.ts";
import type { ChosenSignal } from "../signals/index.ts";
import type { Signal } from "../signals/signal.ts";
import type { MixedPart } from "./mixture-task.ts";
import { checkWrappable, nameOf, OWN_OBJECTIVE, objectiveAround } from "./objectives/index.ts";
import { widened } from "./objectives/objective.ts";

export interface PlannedPart {
  /** No two parts have the same. */
  readonly label: string;
  readonly share: number;
  readonly change: object;
  readonly replay: boolean;
  /** Whether it is the task as the stage has it. */
  readonly own: boolean;
  /** The task as it is asked in this part; the same words and values for all parts. */
  around(prepared: Prepared): Prepared;
}

export interface MixturePlan {
  readonly parts: readonly PlannedPart[];
  /** The task's own question, with the words and values that all parts have. */
  plain(prepared: Prepared): Prepared;
}

const AT = "teach.mixture.parts";

/** @param base the task as its first variant. Errors: LabError for parts that do not fit it or each other. */
export function mixturePlan(
  config: RunConfig,
  base: Prepared,
  signal: ChosenSignal | undefined,
): MixturePlan | undefined {
  const given = config.teach?.mixture?.parts;
  if (given === undefined) return undefined;
  const own = given.map(({ objective }, i) => objectiveAround(objective, `${AT}.${i}`));
  const wraps = own.some((each) => each !== undefined);
  if (wraps) checkObjectives(config, base, signal?.signal);
  if (given.every(({ replay }) => replay)) fail(AT, "a part that is no replay", "replay alone");
  const plain = wraps ? widened : (prepared: Prepared) => prepared;
  const labels = labelsOf(given);
  return {
    plain,
    parts: given.map(({ share, change = {}, replay = false }, i) => ({
      ...{ label: labels[i], share, change, replay },
      own: own[i] === undefined && !replay && Object.keys(change).length === 0,
      around: (prepared) => (own[i] ?? ((wide: Prepared) => wide))(plain(prepared)),
    })),
  };
}

/** All that is drawn, where nothing else is said. */
const USUAL: PlannedPart = {
  ...{ label: OWN_OBJECTIVE, share: 1, change: {}, replay: false, own: true },
  around: (prepared) => prepared,
};

/** @param variantsOf of a stage, with a change over each. */
export function partsInStage(
  plan: MixturePlan | undefined,
  stage: number,
  variantsOf: (stage: number, change: object) => readonly Prepared[],
): readonly MixedPart[] {
  return (plan?.parts ?? [USUAL]).map(({ change, replay, around, own }) => {
    const stages = replay ? Array.from({ length: stage }, (_, before) => before) : [stage];
    return { variants: stages.flatMap((each) => variantsOf(each, change)).map(around), own };
  });
}

/** As they are given, of the parts that have programs in a stage; they sum to 1. */
export function usualShares({ parts }: MixturePlan, inStage: readonly MixedPart[]): readonly number[] {
  const given = parts.map(({ share }, i) => (inStage[i].variants.length === 0 ? 0 : share));
  const total = given.reduce((sum, share) => sum + share, 0);
  return given.map((share) => share / total);
}

type Given = NonNullable<NonNullable<RunConfig["teach"]>["mixture"]>["parts"];

/** `copy`, `replay`, `reveals`; of several that are called the same each with its place: `copy-2`. */
function labelsOf(given: Given): string[] {
  const names = given.map(({ objective, replay }) =>
    replay && nameOf(objective) === OWN_OBJECTIVE ? "replay" : nameOf(objective),
  );
  return names.map((name, i) => (names.filter((each) => each === name).length > 1 ? `${name}-${i}` : name));
}

function checkObjectives(config: RunConfig, base: Prepared, signal: Signal | undefined): void {
  checkWrappable(base, config.tokenizer, AT);
  if (config.stateSupervision !== undefined || signal?.supervises) {
    fail(AT, `objective: ${OWN_OBJECTIVE} beside supervision of the state`, "others");
  }
  if (signal?.keepsBeginning)
    fail(AT, `objective: ${OWN_OBJECTIVE} with the signal ${signal.name}`, "others");
}
