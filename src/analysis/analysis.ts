/**
 * @file The interface of an analysis: requirements, measurement, and its part of the page. A new one is a file in this folder, its
 * test, and a line in `index.ts`; command, progress, document and page follow from it.
 *
 *     export const norms = defineAnalysis({
 *       name: "norms",
 *       summary: "how long hidden states are",
 *       found: z.strictObject({ mean: z.number() }),
 *       needs: [hasTap("residual", "no layer of this model has a residual")],
 *       measure: ({ recording }) => ({ mean: meanNorm(recording) }),
 *       part: ({ mean }) => ({ heading: "How long hidden states are", meaning: [`${mean} on average.`], ... }),
 *     });
 */

import type { z } from "zod";
import type { Rng } from "../core/rng.ts";
import type { ModelAccuracy } from "./accuracy.ts";
import type { Part } from "./figures.ts";
import {
  type AblatedForward,
  attentionLayers,
  type HeadPlace,
  type LayerTraits,
  layersWith,
  type PatchedForward,
  type ProgramPair,
  type Recording,
  recordedGates,
} from "./recording.ts";

export interface Analysis<Name extends string, Found> {
  /** As it is asked for by `--only`, and its key in analysis.json. */
  readonly name: Name;
  /** What it measures: a few words for a list, without a full stop. */
  readonly summary: string;
  /** What its findings do not show. */
  readonly caution?: string;
  /** The schema of its findings in analysis.json. */
  readonly found: z.ZodType<Found>;
  readonly needs: readonly Requirement[];
  /** A sentence where these programs give nothing to find, though all that is needed is there. */
  measure(given: AnalysisInput): Found | string | Promise<Found | string>;
  /** undefined where nothing of it can be shown. */
  part(found: Found, beside: Beside): Part | undefined;
}

/** One thing without which an analysis cannot be made. */
export interface Requirement {
  /** The taps of a layer that are recorded for it; `declared` are all that it hands out. */
  taps(layer: LayerTraits, declared: readonly DeclaredTap[]): readonly string[];
  isMet(given: Pick<AnalysisInput, "recording" | "heads">): boolean;
  /** The reason if it is missing, printed after `no NAME:`. */
  readonly otherwise: string;
}

/** A tap of a layer, [B, T, ...rest]. */
export interface DeclaredTap {
  readonly name: string;
  readonly rest: readonly number[];
}

/** Inputs of an analysis: a recording, a model for new forward passes, random numbers. */
export interface AnalysisInput {
  readonly recording: Recording;
  /** Every head that can be silenced and patched. */
  readonly heads: readonly HeadPlace[];
  readonly ask: AblatedForward;
  askPairs(pairs: readonly ProgramPair[]): Promise<PatchedForward>;
  /** How many runs of the model so many programs take. */
  runsFor(programs: number): number;
  /** A stream for this analysis alone. */
  readonly rng: Rng;
  readonly steps: Steps;
}

/** How far an analysis is. Every run of the model is a step that counts itself. */
export interface Steps {
  /** So many there will be. */
  expect(steps: number): void;
  /** One more is done. It may throw to stop. */
  step(): Promise<void>;
}

/** Inputs of a part in addition to its findings. */
export interface Beside {
  readonly accuracy: ModelAccuracy;
  /** Findings of another analysis, if it was run. */
  of<Found>(analysis: Analysis<string, Found>): Found | undefined;
}

export function defineAnalysis<Name extends string, Found>(
  analysis: Analysis<Name, Found>,
): Analysis<Name, Found> {
  return analysis;
}

/** Work that yields, after every step, how many there are. */
export async function inSteps<Result>(work: Generator<number, Result>, steps: Steps): Promise<Result> {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
    steps.expect(next.value);
    await steps.step();
  }
}

/** Some layer hands out this value. */
export function hasTap(name: string, otherwise: string): Requirement {
  return {
    taps: () => [name],
    isMet: ({ recording }) => layersWith(recording, name).length > 0,
    otherwise,
  };
}

/** Values that are read where a layer hands them out, and not missed elsewhere. */
export function ifHasTap(...names: readonly string[]): Requirement {
  return { taps: () => names, isMet: () => true, otherwise: "" };
}

/** The shares of the states that a layer has itself, where one has any. */
export const ownStates: Requirement = {
  taps: ({ states }) => (states === undefined ? [] : [states]),
  isMet: () => true,
  otherwise: "",
};

/** Some layer's heads write along keys, as strongly as a gate says. */
export function hasGate(otherwise: string): Requirement {
  return {
    taps: ({ gate }) => (gate === undefined ? [] : [gate.tap]),
    isMet: ({ recording }) => recordedGates(recording).length > 0,
    otherwise,
  };
}

export const ifHasGate: Requirement = { ...hasGate(""), isMet: () => true };

/** Some layer is attention. */
export function attending(otherwise: string): Requirement {
  return {
    taps: ({ attention }) => (attention ? ["query", "key"] : []),
    isMet: ({ recording }) => attentionLayers(recording).length > 0,
    otherwise,
  };
}

/** Some layer has heads in which one may intervene. */
export function intervening(otherwise: string): Requirement {
  return { taps: () => ["heads"], isMet: ({ heads }) => heads.length > 0, otherwise };
}

/** Its programs have commands, and a state. */
export const hasCommands: Requirement = {
  taps: () => [],
  isMet: ({ recording }) =>
    recording.programs.every(({ letters, states }) => letters.length > 0 && states[0].length > 0),
  otherwise: "the task has no commands that change a state",
};

/** The task asks at all. */
export const hasQuestions: Requirement = {
  taps: () => [],
  isMet: ({ recording }) => recording.programs.some(({ questions }) => questions.length > 0),
  otherwise: "the programs have no reveals",
};
