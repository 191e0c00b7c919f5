/**
 * @file The resolved `data.mixture`: its parts, each a change of the task, an objective around it, or programs of earlier stages.
 *
 *     mixture: { parts: [{ weight: 3 }, { objective: copy }] }        three programs as they are to one that is copied
 */

import { fail } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Prepared } from "../../tasks/task.ts";
import { nameOf, OWN_OBJECTIVE, partNamed } from "../objectives/index.ts";
import type { ChosenSignal } from "../objectives/objective.ts";
import { NEW_WORDS, widened } from "../objectives/part.ts";
import type { MixedPart } from "./mixture-task.ts";

interface PlannedPart {
  /** Unique. */
  readonly label: string;
  readonly share: number;
  readonly change: object;
  readonly replay: boolean;
  /** Whether it is the unchanged task of the stage. */
  readonly own: boolean;
  /** The task of this part; all parts have the same words and values. */
  around(prepared: Prepared): Prepared;
}

/** A part in a stage: a replay has no variants in the first one. */
export interface StagePart extends MixedPart, Pick<PlannedPart, "label" | "share"> {}

interface MixturePlan {
  readonly parts: readonly PlannedPart[];
  /** The unchanged task, with the words and values of all parts. */
  plain(prepared: Prepared): Prepared;
}

const AT = "data.mixture.parts";

/** @param base the task as its first variant. Errors: LabError for parts that do not fit it or each other. */
export function mixturePlan(
  config: RunConfig,
  base: Prepared,
  signal: ChosenSignal | undefined,
): MixturePlan | undefined {
  const mixture = config.data?.mixture;
  if (mixture === undefined) return undefined;
  const given = mixture.parts;
  const own = given.map(({ objective }, i) => partNamed(objective, `${AT}.${i}`));
  const wraps = own.some((each) => each !== undefined);
  if (wraps) checkObjectives(config, base, signal);
  if (given.every(({ replay }) => replay)) fail(AT, "a part besides replay", "replay alone");
  const plain = wraps ? widened : (prepared: Prepared) => prepared;
  const labels = labelsOf(given);
  return {
    plain,
    parts: given.map(({ weight: share, change = {}, replay = false }, i) => ({
      ...{ label: labels[i], share, change, replay },
      own: own[i] === undefined && !replay && Object.keys(change).length === 0,
      around: (prepared) => (own[i] ?? ((wide: Prepared) => wide))(plain(prepared)),
    })),
  };
}

/** The only part without `data.mixture`. */
const USUAL: PlannedPart = {
  ...{ label: OWN_OBJECTIVE, share: 1, change: {}, replay: false, own: true },
  around: (prepared) => prepared,
};

/** @param variantsOf the variants of a stage, each with a change. */
export function partsInStage(
  plan: MixturePlan | undefined,
  stage: number,
  variantsOf: (stage: number, change: object) => readonly Prepared[],
): readonly StagePart[] {
  return (plan?.parts ?? [USUAL]).map(({ label, share, change, replay, around, own }) => {
    const stages = replay ? Array.from({ length: stage }, (_, before) => before) : [stage];
    const variants = stages.flatMap((each) => variantsOf(each, change)).map(around);
    return { label, share, variants, own };
  });
}

/** The configured shares of the parts that have programs in a stage, with sum 1. */
export function usualShares(inStage: readonly StagePart[]): readonly number[] {
  const given = inStage.map(({ share, variants }) => (variants.length === 0 ? 0 : share));
  const total = given.reduce((sum, share) => sum + share, 0);
  return given.map((share) => share / total);
}

type Given = NonNullable<NonNullable<RunConfig["data"]>["mixture"]>["parts"];

/** `copy`, `replay`, `revealed-values`; equal names get their index: `copy-2`. */
function labelsOf(given: Given): string[] {
  const names = given.map(({ objective, replay }) =>
    replay && nameOf(objective) === OWN_OBJECTIVE ? "replay" : nameOf(objective),
  );
  return names.map((name, i) => (names.filter((each) => each === name).length > 1 ? `${name}-${i}` : name));
}

/** Errors: LabError for a task that cannot be wrapped, or together with another objective. */
function checkObjectives(config: RunConfig, base: Prepared, signal: ChosenSignal | undefined): void {
  if (base.asks === "states") {
    const hint = "The text of this task does not contain its states";
    fail(AT, "objectives with a task that writes what it asks for", "another task", hint);
  }
  if (config.tokenizer !== "word") fail(AT, "objectives with tokenizer: word", config.tokenizer);
  const taken = Object.values(NEW_WORDS).find((word) => base.words.includes(word));
  if (taken !== undefined) fail(AT, `a task without a word ${taken}`, "one that has it");
  if (config.stateSupervision !== undefined || signal?.supervises) {
    fail(AT, `objective: ${OWN_OBJECTIVE} together with state supervision`, "others");
  }
  if (signal?.keepsBeginning)
    fail(AT, `objective: ${OWN_OBJECTIVE} with the signal ${signal.name}`, "others");
}
